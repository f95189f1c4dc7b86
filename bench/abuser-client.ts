import { parseArgs } from 'node:util'
import { ABUSES } from './abuses.js'
import { requireLoopback } from './load/loopback.js'

// One bad client, in a process of its own: it begins at once, ends on SIGTERM, and prints what became of what it did.

const { values } = parseArgs({
  options: {
    ...{ abuse: { type: 'string' }, url: { type: 'string' }, address: { type: 'string' } },
    ...{ token: { type: 'string' }, 'auth-token': { type: 'string' } },
  },
})
const { abuse = '', url = '', address = '', token = '', 'auth-token': authToken = '' } = values
const act = ABUSES[abuse]
if (act === undefined) throw new Error(`there is no abuse "${abuse}"`)
requireLoopback(url)

const ending = new AbortController()
const tally = new Map<string, number>()
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ tally: Object.fromEntries(tally) }))
  ending.abort()
  process.exit(0)
})
// Whoever started it may have been killed.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.exit(1), 1000).unref()

console.log('begun')
await act({ url, address, token, authToken }, tally, ending.signal)
