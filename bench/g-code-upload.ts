import { peakMegabytes, startTarget, upload, type UploadTarget } from './g-code-form.js'
import { cpuMicros, show, spread, table } from './measure.js'

// Uploads of G-code: how long 20 MB take beside a bare route that writes the same form to the same disk, and how much memory eight
// uploads at once need, at 20 MB and at 200 MB: that must not grow with the file.

const MB = 1_000_000
const ROUNDS = 8
const AT_ONCE = 8

async function start(name: 'ours' | 'bare'): Promise<UploadTarget> {
  return startTarget(name, name === 'ours' ? 'unlimited-server.ts' : 'bare-upload-server.mjs')
}

const targets = [await start('ours'), await start('bare')]
const times = new Map(
  targets.map(({ name }) => [name, { one: [] as number[], many: [] as number[], cpu: [] as number[] }]),
)
for (let round = -1; round < ROUNDS; round += 1) {
  for (const target of targets) {
    const cpu = cpuMicros(target.program.pid)
    const one = await upload(target, 20 * MB)
    const spent = (cpuMicros(target.program.pid) - cpu) / 1000
    const started = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, () => upload(target, 20 * MB)))
    // The first round warms up.
    if (round < 0) continue
    times.get(target.name)?.one.push(one)
    times.get(target.name)?.cpu.push(spent)
    times.get(target.name)?.many.push((AT_ONCE * 20 * 1000) / (performance.now() - started))
  }
}
console.log(`min / median / max of ${ROUNDS} rounds, one server after the other in each\n`)
console.log(
  table(
    ['server', 'ms for 20 MB', 'CPU ms for 20 MB', `MB/s, ${AT_ONCE} at once`],
    [...times].map(([name, { one, cpu, many }]) => [name, show(spread(one)), show(spread(cpu)), show(spread(many))]),
  ),
)
for (const { program } of targets) await program.stop()

const rows: string[][] = []
for (const name of ['ours', 'bare'] as const) {
  for (const size of [20, 200]) {
    const target = await start(name)
    await upload(target, MB)
    const before = peakMegabytes(target.program.pid)
    await Promise.all(Array.from({ length: AT_ONCE }, () => upload(target, size * MB)))
    rows.push([name, `${size} MB`, before.toFixed(0), peakMegabytes(target.program.pid).toFixed(0)])
    await target.program.stop()
  }
}
console.log(`\npeak memory in MB, a fresh server each time\n`)
console.log(table(['server', `${AT_ONCE} at once of`, 'after one of 1 MB', 'after them'], rows))
