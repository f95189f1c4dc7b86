import { API_ERRORS } from '@printwarden/protocol'
import { code, escape, objectOf, paragraphs, slug, textOf } from './docs-html.js'
import { methodBadge, type Operation, operationsOf, operationView } from './docs-operation.js'
import { schemasSection } from './docs-schema.js'
import type { Json } from './openapi-components.js'

// The page at /docs: the OpenAPI document for people. It reads without script; one small file of our own adds the search.

/** What an app needs first comes first; tags that are not named here follow in order of the alphabet. */
const FIRST_TAGS = ['printers', 'prints', 'g-code files', 'g-code folders', 'printer events', 'live', 'user']
const LAST_TAGS = ['agent', 'administration', 'server']

/** The document as a page. */
export function docsPage(document: Json): string {
  const info = objectOf(document['info'])
  const operations = operationsOf(document)
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort(
    (a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b, 'en'),
  )
  const groups = tags.map((tag) => ({ tag, operations: operations.filter((operation) => operation.tag === tag) }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Printwarden API</title>
<link rel="stylesheet" href="/docs.css">
<link rel="icon" href="/favicon.svg">
<script src="/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="#top">Printwarden <b>API</b></a>
<label class="search" hidden><span>Search</span><input type="search" id="search" placeholder="Search endpoints" autocomplete="off"><kbd>/</kbd></label>
<p><span class="soft">version ${escape(textOf(info['version']))}</span> <a href="/openapi.json">openapi.json</a></p></header>
<div class="page" id="top">
<nav aria-label="Endpoints"><details open><summary>Endpoints</summary>
${groups.map(navGroup).join('\n')}
<ul><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul></details></nav>
<main id="content">
<section class="introduction"><h1>Printwarden API</h1>
${paragraphs(textOf(info['description']))}
<pre tabindex="0"><code>SERVER=http://127.0.0.1:3334
TOKEN=…   # an access token
curl -H "Authorization: Bearer $TOKEN" "$SERVER/api/v1/printers/"</code></pre></section>
<p id="nothing" role="status" hidden>No endpoint matches.</p>
${groups.map((group) => groupSection(group, document)).join('\n')}
${ERRORS}
${schemasSection(objectOf(objectOf(document['components'])['schemas']))}
</main></div>
</body>
</html>
`
}

interface Group {
  readonly tag: string
  readonly operations: readonly Operation[]
}

function rankOf(tag: string): number {
  if (FIRST_TAGS.includes(tag)) return FIRST_TAGS.indexOf(tag)
  return LAST_TAGS.includes(tag) ? 1000 + LAST_TAGS.indexOf(tag) : 100
}

function navGroup({ tag, operations }: Group): string {
  const items = operations.map(
    ({ id, method, summary }) =>
      `<li data-for="${escape(id)}"><a href="#${escape(id)}">${methodBadge(method)}<span>${escape(summary)}</span></a></li>`,
  )
  return `<div class="group"><h2><a href="#${slug(tag)}">${escape(tag)}</a></h2><ul>${items.join('')}</ul></div>`
}

function groupSection({ tag, operations }: Group, document: Json): string {
  const views = operations.map((operation) => operationView(operation, document))
  return `<section id="${slug(tag)}" class="group"><h2>${escape(tag)}</h2>\n${views.join('\n')}</section>`
}

const ERRORS = `<section id="errors"><h2>Errors</h2>
<p>Every error is <a href="#schema-ProblemDetails">ProblemDetails</a> as <code>application/problem+json</code>. Programs go by <code>code</code>.</p>
<table><tr><th scope="col">status</th><th scope="col">code</th><th scope="col">meaning</th></tr>${Object.entries(
  API_ERRORS,
)
  .map(([name, { status, title }]) => `<tr><td>${status}</td><td><code>${name}</code></td><td>${code(title)}</td></tr>`)
  .join('')}</table></section>`
