import { isObject, type Json } from './openapi-components.js'

// What the parts of the page at /docs share.

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char)

/** A text of the document: escaped, with `code` marked. */
export const code = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** A description of one or more paragraphs. */
export const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => `<p>${code(part)}</p>`)
    .join('\n')

export const json = (value: unknown): string => escape(JSON.stringify(value, null, 2) ?? '')

export const slug = (text: string): string => text.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()

/** What a reference leads to; anything else is itself. */
export function resolve(value: unknown, document: Json): Json {
  const data = objectOf(value)
  const reference = textOf(data['$ref'])
  if (!reference.startsWith('#/')) return data
  let found: unknown = document
  for (const name of reference.slice(2).split('/')) found = objectOf(found)[name]
  return objectOf(found)
}

/** The name of the component that a reference leads to. */
export const nameOfRef = (value: unknown): string | undefined =>
  textOf(objectOf(value)['$ref']).split('/').at(-1) || undefined
