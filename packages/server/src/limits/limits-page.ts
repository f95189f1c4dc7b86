import { COSTS } from '../http/request-cost.js'
import { changeableLimits, fixedLimits, guessLimits, type LimitRow } from './table.js'

const INTRODUCTION = `# Limits

Made by \`npm run generate\` from the numbers that the server holds to. One bad client must not harm another: whoever asks too much is refused, the
others go on.

- A refused request is answered 429, with \`Retry-After\` in seconds and the usual error body (\`rate_limited\`). The answer comes half a second
  late, so that a client that does not wait costs nothing meanwhile. A refused websocket message closes the socket with 4429.
- A refusal costs nothing of the allowance, so waiting helps. The agent and the SDK wait as long as they are told.
- A credential that was somebody's within the last day is looked up however many unknown ones come from its address.
- A body in chunks, whose length nobody told, is counted when it has come, and so are the values in a body. What there was not enough left for,
  the next requests wait for.
- Statistics of one user are added up one after another: who asks for many waits longer, and others do not.
- "50 a second, 1000 at once": 1000 when nothing was asked for a while, and 50 each second in the long run.
- An address is the client's. Behind a proxy it is known only when the proxy is in \`PRINTWARDEN_TRUSTED_PROXIES\`; without that all clients
  count as one. An IPv6 address counts by its first 64 bits. Agents and users with a credential are counted by themselves, not by their address.
- With \`PRINTWARDEN_REDIS_URL\` the nodes count together, save where "each node" is said. While Redis is away each node counts by itself, from what
  it last knew. A node takes a little of what somebody has left at a time, at most a tenth, and puts back what was not used: a busy client costs
  few questions to Redis, and in the long run is given the same by any number of nodes. At once it may be a little more or less.
- Each refusal is counted in \`/metrics\` (\`printwarden_limited_total\`, by limit). The log names the first one of each client and limit in ten minutes.
`

const CHANGEABLE = `## Limits that can be changed

\`PRINTWARDEN_LIMITS\` changes some of them, the others stay: \`user_requests=50/500,address_sockets=9000\` means 50 a second and 500 at once, and 9000
at a time.
`

const GUESSES = `## Guesses

So many wrong ones are free; then each makes the next one wait. Where an account was right within the last thirty days, what others guess at it or
ask for holds nobody up: there the account by itself does not count. A link for a new password is good for an hour, so under a flood of letters the
last one always has half an hour left.
`

const FIXED = `## Other limits
`

/** The limits as a page of the documentation. */
export function limitsPage(): string {
  const costs = Object.entries(COSTS).map(([id, cost]) => `\`${id}\` ${cost}`)
  return [
    INTRODUCTION,
    CHANGEABLE,
    table('name', changeableLimits(), ({ setting = '' }) => `\`${setting}\``),
    `\nOperations that count as so many requests: ${costs.join(', ')}.\n`,
    GUESSES,
    table(undefined, guessLimits()),
    '',
    FIXED,
    table('setting', fixedLimits(), ({ setting = '' }) => setting),
    '',
  ].join('\n')
}

function table(last: string | undefined, rows: readonly LimitRow[], lastOf?: (row: LimitRow) => string): string {
  const heads = ['per', 'what', 'number', 'answer', ...(last === undefined ? [] : [last])]
  const lines = rows.map((row) => [row.who, row.what, row.number, row.answer, ...(lastOf ? [lastOf(row)] : [])])
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
