import type { Endpoint } from '@printwarden/protocol'
import { accessTable } from './access-table.js'
import { OTHER_ROUTES } from './other-routes.js'

const INTRODUCTION = `# Who may do what

Made by \`npm run generate\` from the same data that opens the routes, so it is complete: a route without a decision stops the server from
being built.

Checks come in this order: 401 (who are you), 403 (may you do this), 404 (is there such a thing, and is it yours), 400 (is the input
right). What is another's and what is missing answer with the same bytes. \`HEAD\` is answered wherever \`GET\` is, by the same rule; every
other method of a known path is 405 with \`Allow\`.

| access | who |
|---|---|
| \`read\`, \`write\` | a user's token with this scope, or a session; \`write\` does not imply \`read\`. A session counts for a change only when it comes from our own pages |
| \`session\` | a signed-in browser alone |
| \`page\` | a signed-in browser; without a session it is sent to the sign-in page |
| \`admin\` | an administrator's token with \`write\`, or an administrator's session |
| \`agent\` | a printer's \`auth_token\` |
| \`read_or_agent\` | as \`read\`, or a printer's \`auth_token\` in its owner's place |
| \`client\` | an OAuth client, by its own credentials or by what was issued to it |
| \`signature\` | whoever holds the signed address, until it expires |
| \`address\` | whoever holds the address, in which a token stands, until that is replaced |
| \`local\` | this machine without a proxy, or an administrator's token |
| \`anyone\` | needs no credential |
`

/** The authorization table as a page of the documentation. */
export function authorizationPage(endpoints: readonly Endpoint[]): string {
  const rows = accessTable(endpoints, OTHER_ROUTES)
    .toSorted((a, b) => a.url.localeCompare(b.url, 'en') || a.method.localeCompare(b.method, 'en'))
    .map(({ method, url, access, why }) => `| ${method} | \`${url}\` | \`${access}\` | ${why.replaceAll('|', '\\|')} |`)
  return [INTRODUCTION, '| method | path | access | what for |', '|---|---|---|---|', ...rows, ''].join('\n')
}
