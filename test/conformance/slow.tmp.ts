import { setTimeout as sleep } from 'node:timers/promises'
import { openProxy } from './mutations/proxy.js'
import { allCases } from './src/all-cases.js'
import { openRun } from './src/run.js'
import { readTarget } from './src/target.js'
const proxy = await openProxy(await readTarget(process.argv[2] ?? ''))
proxy.mutate({
  answer: async () => {
    await sleep(Math.random() * 500)
  },
})
const run = openRun(proxy.target)
let failed = 0
for (const one of await allCases()) {
  const { error, durationMs } = await run.runCase(one)
  if (error) {
    failed += 1
    console.log('FAIL', one.id, error.message.slice(0, 300))
  }
  if (durationMs > 20000) console.log('SLOW', one.id, Math.round(durationMs))
}
console.log('done, failed', failed)
await proxy.close()
