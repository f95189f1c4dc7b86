// The page at /docs: the OpenAPI document for people. Pure text, no script, nothing fetched from elsewhere.

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
const code = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** The document as a page. */
export function docsPage(document: Json): string {
  const info = isObject(document['info']) ? document['info'] : {}
  const operations = operationsOf(document)
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const sections = tags.map((tag) =>
    section(
      tag,
      operations.filter((operation) => operation.tag === tag),
    ),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Printwarden API</title>
<link rel="stylesheet" href="/docs.css">
<link rel="icon" href="/favicon.svg">
</head>
<body>
<header><h1>Printwarden API</h1><p class="version">version ${escape(textOf(info['version']))} · <a href="/openapi.json">openapi.json</a></p>
${textOf(info['description'])
  .split('\n\n')
  .map((part) => `<p>${code(part)}</p>`)
  .join('\n')}
<nav aria-label="Groups">${tags.map((tag) => `<a href="#${slug(tag)}">${escape(tag)}</a>`).join(' ')}</nav></header>
<main>${sections.join('\n')}
${schemasSection(document)}</main>
</body>
</html>
`
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly data: Json
}

function operationsOf(document: Json): Operation[] {
  const paths = isObject(document['paths']) ? document['paths'] : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, data]): Operation[] => {
      if (!isObject(data)) return []
      const tag = Array.isArray(data['tags']) ? String(data['tags'][0]) : 'other'
      return [{ method, path, tag, data }]
    }),
  )
}

const slug = (text: string): string => text.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()

function section(tag: string, operations: readonly Operation[]): string {
  return `<section id="${slug(tag)}"><h2>${escape(tag)}</h2>\n${operations.map(operationView).join('\n')}</section>`
}

function operationView({ method, path, data }: Operation): string {
  const access = textOf(data['x-access'])
  return `<details id="${escape(textOf(data['operationId']))}"><summary><span class="method ${method}">${method.toUpperCase()}</span>
<code class="path">${escape(path)}</code> <span class="summary">${escape(textOf(data['summary']))}</span> <span class="access">${escape(access)}</span></summary>
${data['description'] === undefined ? '' : `<p>${code(textOf(data['description']))}</p>`}
${parametersView(data['parameters'])}
${block('Body', data['requestBody'])}
${responsesView(data['responses'])}
</details>`
}

function parametersView(parameters: unknown): string {
  if (!Array.isArray(parameters) || parameters.length === 0) return ''
  const rows = parameters.filter(isObject).map((parameter) => {
    const need = parameter['required'] === true ? 'required' : 'optional'
    return `<tr><td><code>${escape(textOf(parameter['name']))}</code></td><td>${escape(textOf(parameter['in']))}, ${need}</td><td><code>${json(parameter['schema'])}</code></td></tr>`
  })
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function responsesView(responses: unknown): string {
  const rows = Object.entries(isObject(responses) ? responses : {}).map(([status, response]) => {
    const data = isObject(response) ? response : {}
    return `<tr><td><code>${escape(status)}</code></td><td>${code(textOf(data['description']))}</td><td>${schemaLink(data['content'])}</td></tr>`
  })
  return `<h4>Answers</h4><table>${rows.join('')}</table>`
}

function schemaLink(content: unknown): string {
  const text = JSON.stringify(content ?? '')
  const name = /#\/components\/schemas\/(\w+)/.exec(text)?.[1]
  if (name === undefined) return ''
  return `<a href="#schema-${name}">${text.includes('"array"') ? `list of ${name}` : name}</a>`
}

function block(title: string, value: unknown): string {
  if (value === undefined) return ''
  const content = isObject(value) && isObject(value['content']) ? value['content'] : {}
  const [type, body] = Object.entries(content)[0] ?? []
  if (type === undefined || !isObject(body)) return ''
  const heading = `<h4>${title} <small>${escape(type)}</small></h4>`
  const link = schemaLink(content)
  return link === '' ? `${heading}<pre>${json(body['schema'], 2)}</pre>` : `${heading}<p>${link}</p>`
}

const json = (value: unknown, indent?: number): string => escape(JSON.stringify(value, null, indent) ?? '')

function schemasSection(document: Json): string {
  const components = isObject(document['components']) ? document['components'] : {}
  const schemas = Object.entries(isObject(components['schemas']) ? components['schemas'] : {})
  const items = schemas.map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary><pre>${json(schema, 2)}</pre></details>`,
  )
  return `<section id="schemas"><h2>schemas</h2>${items.join('\n')}</section>`
}

/** Its stylesheet: a file of its own, since the page may hold none. */
export const DOCS_STYLE = `:root{color-scheme:light dark;--ink:#14201e;--soft:#51605c;--line:#dde3df;--ground:#f3f5f3;--surface:#fff;--accent:#0b6b63}
@media (prefers-color-scheme:dark){:root{--ink:#e6edea;--soft:#a3b2ad;--line:#2a3431;--ground:#0e1312;--surface:#171e1c;--accent:#5fcbb9}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:1000px;margin:0 auto;padding:16px}h1{margin:8px 0 0}h2{margin:32px 0 8px;text-transform:capitalize}
.version,.summary,h4 small{color:var(--soft)}a{color:var(--accent)}nav a{margin-right:10px}
details{background:var(--surface);border:1px solid var(--line);border-radius:9px;margin:8px 0;padding:0 14px}
summary{cursor:pointer;padding:10px 0;display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center}
.method{font-weight:700;font-size:13px;min-width:58px;color:var(--accent)}.path{overflow-wrap:anywhere}.summary{flex:1}
.access{font-size:13px;border:1px solid var(--line);border-radius:99px;padding:1px 10px}
pre{overflow:auto;background:var(--ground);padding:12px;border-radius:9px;font-size:13px}table{border-collapse:collapse;width:100%;font-size:14px}
td{border-top:1px solid var(--line);padding:6px 10px 6px 0;vertical-align:top;overflow-wrap:anywhere}h4{margin:12px 0 4px}`
