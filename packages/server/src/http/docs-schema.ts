import { code, escape, json, listOf, nameOfRef, objectOf, textOf } from './docs-html.js'
import type { Json } from './openapi-components.js'

/** A schema in a few words, with links to the components that it names. */
export function typeLabel(schema: unknown): string {
  const data = objectOf(schema)
  const name = nameOfRef(data)
  if (name !== undefined) return `<a href="#schema-${escape(name)}">${escape(name)}</a>`
  if ('const' in data) return `<code>${json(data['const'])}</code>`
  if (Array.isArray(data['enum'])) return data['enum'].map((value) => `<code>${json(value)}</code>`).join(' or ')
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(data[key]))
  if (choices.length > 0) return choices.map(typeLabel).join(' or ')
  const type = listOf([data['type']].flat()).map(textOf).filter(Boolean).join(' or ')
  if (Array.isArray(data['prefixItems'])) return `[${data['prefixItems'].map(typeLabel).join(', ')}]`
  if (type === 'array') return `list of ${typeLabel(data['items'])}`
  return [escape(type || 'any'), limitsOf(data)].filter(Boolean).join(' ')
}

/** Formats and limits, as a reader would say them. The bounds of what a double can count say nothing. */
function limitsOf(data: Json): string {
  const limits = [
    textOf(data['format']),
    bound('≥', data['minimum']),
    bound('>', data['exclusiveMinimum']),
    bound('≤', data['maximum']),
    bound('at least', data['minLength'], 'characters'),
    bound('at most', data['maxLength'], 'characters'),
  ].filter(Boolean)
  return limits.length === 0 ? '' : `<small>${limits.map(escape).join(', ')}</small>`
}

function bound(word: string, value: unknown, unit = ''): string {
  if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return ''
  return `${word} ${value} ${unit}`.trim()
}

/** The fields of an object as rows: name, type, what it means. */
export function fieldsTable(schema: unknown): string {
  const data = objectOf(schema)
  const required = listOf(data['required'])
  const rows = Object.entries(objectOf(data['properties'])).map(([name, property]) => {
    const optional = required.includes(name) ? '' : ' <small>optional</small>'
    return `<tr><th scope="row"><code>${escape(name)}</code>${optional}</th><td>${typeLabel(property)}${descriptionOf(property)}</td></tr>`
  })
  return rows.length === 0 ? `<p>${typeLabel(schema)}</p>` : `<table>${rows.join('')}</table>`
}

function descriptionOf(property: unknown): string {
  const text = textOf(objectOf(property)['description'])
  return text === '' ? '' : `<br><span class="soft">${code(text)}</span>`
}

/** Every named schema. */
export function schemasSection(schemas: Json): string {
  const items = Object.entries(schemas)
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(
      ([name, schema]) =>
        `<details id="schema-${escape(name)}" class="schema"><summary><code>${escape(name)}</code></summary>${fieldsTable(schema)}</details>`,
    )
  return `<section id="schemas"><h2>Schemas</h2>${items.join('\n')}</section>`
}
