import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { show, spread, table } from './measure.js'
import { startBench } from './programs.js'

// How fast the agent streams G-code over a serial line, and how long the printer waits for the next line after its `ok`: alone, with
// the agent turning pictures all the time, and with another program burning a core beside that. The printer is a pseudo terminal
// that answers at once (for lines a second) or takes 2 ms a line (for the gap). The last case is an agent that gives way to others, as
// one does that prints on no serial line. Needs Python. `BENCH_RUNS`, `BENCH_LINES` and `BENCH_CASES` (parts of names, by commas)
// make it shorter.

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3)
const WANTED = (process.env['BENCH_CASES'] ?? '').split(',').filter(Boolean)
const FAST_LINES = Number(process.env.BENCH_LINES ?? 10_000)
const PACED_LINES = Math.ceil(FAST_LINES / 8)
const PACED_MS = 2

const Printed = z.object({ lines: z.number(), seconds: z.number(), p50: z.number(), p99: z.number(), max: z.number() })
const Turned = z.object({ turn: z.object({ p50: z.number(), p99: z.number(), max: z.number() }) })

const CASES = [
  { name: 'alone', load: 'quiet', burn: false, nice: 0 },
  { name: 'turning pictures', load: 'busy', burn: false, nice: 0 },
  { name: 'turning pictures, beside a program that burns a core', load: 'busy', burn: true, nice: 0 },
  { name: 'the same, giving way', load: 'busy', burn: true, nice: 10 },
] as const

const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))

async function stream({ load, burn, nice }: (typeof CASES)[number], lineMs: number, lines: number) {
  const device = join(folder, 'ttyBENCH')
  const file = join(folder, 'bench.gcode')
  const moves = Array.from({ length: lines }, (_, index) => `G1 X${index % 200} Y${index % 150} E${index} ; a move`)
  await writeFile(file, ['G90', ';LAYER:0', ...moves, ''].join('\n'))
  const script = fileURLToPath(new URL('serial-printer.py', import.meta.url))
  const printer = spawn('python3', [script, device, String(lineMs)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = createInterface({ input: printer.stdout })[Symbol.asyncIterator]()
  await said.next()
  const burner = burn ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined
  const agent = startBench('serial-agent.ts', [device, file, load])
  setPriority(agent.pid, nice)
  const turned = await agent.line((line) => Turned.parse(JSON.parse(line)))
  const printed = Printed.parse(JSON.parse(String((await said.next()).value)))
  await agent.stop()
  burner?.kill('SIGKILL')
  printer.kill()
  return { printed, turn: turned.turn }
}

console.log(`load average at the start: ${loadavg()[0]?.toFixed(1)}\n`)
const rows: string[][] = []
for (const one of CASES.filter(({ name }) => WANTED.length === 0 || WANTED.some((part) => name.includes(part)))) {
  const fast: Awaited<ReturnType<typeof stream>>[] = []
  const paced: typeof fast = []
  for (let run = 0; run < RUNS; run += 1) {
    fast.push(await stream(one, 0, FAST_LINES))
    paced.push(await stream(one, PACED_MS, PACED_LINES))
  }
  rows.push([
    one.name,
    show(spread(fast.map(({ printed }) => printed.lines / printed.seconds)), 0),
    show(spread(paced.map(({ turn }) => turn.p99)), 2),
    show(spread(paced.map(({ printed }) => printed.p50)), 2),
    show(spread(paced.map(({ printed }) => printed.p99)), 2),
    show(spread(paced.map(({ printed }) => printed.max)), 1),
  ])
  console.error(rows.at(-1)?.join(' | '))
}
console.log(`min / median / max of ${RUNS} runs; gaps in ms\n`)
const head = ['the agent', 'lines/s', 'ok read → line written, p99', 'ok sent → line there, p50', 'p99', 'max']
console.log(table(head, rows))
console.log(`\nload average at the end: ${loadavg()[0]?.toFixed(1)}`)
await rm(folder, { recursive: true, force: true })
