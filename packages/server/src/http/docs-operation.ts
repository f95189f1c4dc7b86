import { curlOf } from './docs-curl.js'
import { code, escape, json, listOf, objectOf, paragraphs, resolve, textOf } from './docs-html.js'
import { fieldsTable, typeLabel } from './docs-schema.js'
import { isObject, type Json } from './openapi-components.js'

/** One operation of the document, and where it stands. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly access: string
  readonly data: Json
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Every operation: what lists comes before what is done to one thing. */
export function operationsOf(document: Json): Operation[] {
  const operations = Object.entries(objectOf(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).flatMap(([method, data]): Operation[] => {
      if (!isObject(data)) return []
      const tag = textOf(listOf(data['tags'])[0]) || 'other'
      const [id, summary, access] = [data['operationId'], data['summary'], data['x-access']].map(textOf)
      return [{ id: id ?? '', method, path, tag, summary: summary ?? '', access: access ?? '', data }]
    }),
  )
  return operations.sort((a, b) => compare(a.path, b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method))
}

/** By the letter, so that a word such as `stats` stands before `{id}`. */
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

export const methodBadge = (method: string): string =>
  `<span class="method ${escape(method)}">${escape(method.toUpperCase())}</span>`

const BADGES: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'write',
  admin: 'administrator',
  agent: 'auth_token',
  read_or_agent: 'read or auth_token',
  session: 'session',
  anyone: 'open',
}

/** Everything about one operation: words on the left, what is sent and answered on the right. */
export function operationView(operation: Operation, document: Json): string {
  const { id, method, path, summary, access, data } = operation
  const words = escape(`${id} ${method} ${path} ${summary} ${operation.tag} ${access}`.toLowerCase())
  return `<article id="${escape(id)}" class="operation" data-words="${words}">
<h3><a href="#${escape(id)}">${escape(summary)}</a></h3>
<p class="line">${methodBadge(method)} <code class="path">${escape(path)}</code> <span class="access ${escape(access)}">${escape(BADGES[access] ?? access)}</span></p>
<div class="columns"><div>
${paragraphs(textOf(data['description']))}
${parametersView(data['parameters'])}
${bodyView(data['requestBody'], document)}
${responsesView(data['responses'], document)}
</div><div class="code">
<h4>Request</h4><pre tabindex="0"><code>${escape(curlOf(operation))}</code></pre>
${answerView(data['responses'], document)}
</div></div></article>`
}

function parametersView(parameters: unknown): string {
  const rows = listOf(parameters)
    .filter(isObject)
    .map(({ name, in: where, required, description, schema }) => {
      const need = required === true ? '' : ' <small>optional</small>'
      const text = textOf(description) === '' ? '' : `<br><span class="soft">${code(textOf(description))}</span>`
      return `<tr><th scope="row"><code>${escape(textOf(name))}</code>${need}</th><td>${typeLabel(schema)} <small>${escape(textOf(where))}</small>${text}</td></tr>`
    })
  return rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function bodyView(requestBody: unknown, document: Json): string {
  const content = Object.entries(objectOf(objectOf(requestBody)['content']))
  // Of several forms of a body the one with files says the most.
  const [type, body] = content.find(([name]) => name === 'multipart/form-data') ?? content[0] ?? []
  if (type === undefined) return ''
  const schema = objectOf(body)['schema']
  const link = '$ref' in objectOf(schema) ? `: ${typeLabel(schema)}` : ''
  const types = content.map(([name]) => escape(name)).join(' or ')
  return `<h4>Body <small>${types}</small>${link}</h4>${fieldsTable(resolve(schema, document))}`
}

function responsesView(responses: unknown, document: Json): string {
  const rows = Object.entries(objectOf(responses)).map(([status, response]) => {
    const data = resolve(response, document)
    const [type, content] = Object.entries(objectOf(data['content']))[0] ?? []
    const body = type === undefined || type.includes('problem') ? '' : ` ${typeLabel(objectOf(content)['schema'])}`
    const headers = Object.keys(objectOf(data['headers'])).map((name) => `<code>${escape(name)}</code>`)
    const sent = headers.length === 0 ? '' : `<br><span class="soft">Headers: ${headers.join(', ')}</span>`
    const kind = /^[23]/.test(status) ? 'good' : 'bad'
    return `<tr><th scope="row"><span class="status ${kind}">${status === 'default' ? 'else' : escape(status)}</span></th><td>${code(textOf(data['description'])).replaceAll('\n', '<br>')}${body}${sent}</td></tr>`
  })
  return `<h4>Answers</h4><table class="answers">${rows.join('')}</table>`
}

function answerView(responses: unknown, document: Json): string {
  const [status, response] = Object.entries(objectOf(responses)).find(([name]) => name.startsWith('2')) ?? []
  if (status === undefined) return ''
  const content = objectOf(objectOf(resolve(response, document)['content'])['application/json'])
  const body = 'example' in content ? json(content['example']) : '(empty)'
  return `<h4>Answer <small>${escape(status)}</small></h4><pre tabindex="0"><code>${body}</code></pre>`
}
