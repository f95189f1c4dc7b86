import { endpoints } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { docsPage } from './docs-page.js'
import { openApiDocument } from './openapi.js'

const page = docsPage(openApiDocument(endpoints, '1.2.3'))

test('every endpoint and every link of the page has its place', () => {
  for (const { id } of Object.values(endpoints)) expect(page).toContain(`id="${id}"`)
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
})

test('a body with a name is a link to its schema', () => {
  expect(page).toContain('<a href="#schema-NewPrinter">NewPrinter</a>')
})

test('texts of the document are shown, never run', () => {
  const hostile = {
    info: { version: '<script>', description: 'a `<b>` c' },
    paths: { '/<img>/': { get: { operationId: 'x"><img', summary: '<i>', tags: ['t'], responses: {} } } },
  }
  expect(docsPage(hostile)).not.toMatch(/<script>|<img|<i>|a <b>/)
})

test('each call is shown as a command', () => {
  expect(page).toContain('curl -X POST &quot;$SERVER/api/v1/printers/7/pause_print/&quot;')
  expect(page).toContain('-F pic=@FILE')
  expect(page).toContain('/api/v1/prints/stats/?timezone=Europe%2FBerlin&amp;from_date=2026-03-01')
})

test('the search finds by name, path, method, tag and scope', () => {
  expect(page).toMatch(
    /id="pausePrint" class="operation" data-words="pauseprint post \/api\/v1\/printers\/\{id\}\/pause_print\/ [^"]*write"/,
  )
})

test('where a file can be sent, the fields of the form are shown', () => {
  const upload = page.slice(page.indexOf('id="uploadGCodeFile"'))
  expect(upload.slice(0, upload.indexOf('</article>'))).toContain('<code>file</code>')
})
