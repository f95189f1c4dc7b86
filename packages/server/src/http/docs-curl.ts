import { listOf, objectOf, textOf } from './docs-html.js'
import type { Operation } from './docs-operation.js'
import { isObject, type Json } from './openapi-components.js'

/** The call on a command line, with the examples of the document. */
export function curlOf({ method, path, access, data }: Operation): string {
  const parameters = listOf(data['parameters']).filter(isObject)
  const lines = [`curl ${methodOption(method)}"$SERVER${addressOf(path, parameters)}"`]
  if (access === 'agent') lines.push('-H "Authorization: Bearer $AUTH_TOKEN"')
  else if (access !== 'anyone') lines.push('-H "Authorization: Bearer $TOKEN"')
  lines.push(...bodyOptions(objectOf(objectOf(data['requestBody'])['content'])))
  return lines.join(' \\\n  ')
}

const methodOption = (method: string): string => (method === 'get' ? '' : `-X ${method.toUpperCase()} `)

/** The path with its example parameters, and the query where something is required; one optional parameter shows the form. */
function addressOf(path: string, parameters: readonly Json[]): string {
  let address = path
  for (const { name, in: where, example } of parameters) {
    if (where === 'path') address = address.replace(`{${textOf(name)}}`, encodeURIComponent(String(example)))
  }
  const required = parameters.filter(({ in: where, required: isRequired }) => where === 'query' && isRequired === true)
  const query = required.map(({ name, example }) => `${textOf(name)}=${encodeURIComponent(String(example))}`)
  return query.length === 0 ? address : `${address}?${query.join('&')}`
}

function bodyOptions(content: Json): string[] {
  const asJson = objectOf(content['application/json'])
  const form = content['multipart/form-data']
  if (form !== undefined) return formOptions(objectOf(form))
  if (!('example' in asJson)) return []
  const text = JSON.stringify(asJson['example'], null, 2).replaceAll("'", String.raw`'\''`)
  return ['-H "Content-Type: application/json"', `-d '${text}'`]
}

function formOptions({ schema, example }: Json): string[] {
  const required = listOf(objectOf(schema)['required'])
  return Object.entries(objectOf(objectOf(schema)['properties'])).flatMap(([name, property]) => {
    const isFile = objectOf(property)['format'] === 'binary'
    if (!isFile && !required.includes(name)) return []
    return [isFile ? `-F ${name}=@FILE` : `-F '${name}=${String(objectOf(example)[name])}'`]
  })
}
