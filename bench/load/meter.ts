import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { rssMegabytes } from '../measure.js'

/** What some programs have taken: CPU so far in milliseconds, user and system, and resident memory in MB. */
export interface Cost {
  readonly cpuMs: number
  readonly rssMb: number
}

const MS_PER_TICK = 10

/** What programs and all that they have started take, and what their children took that have ended (Linux). */
export function costOf(roots: readonly number[]): Cost {
  let cpuMs = 0
  let rssMb = 0
  for (const pid of familiesOf(roots)) {
    try {
      cpuMs += ticksOf(pid) * MS_PER_TICK
      rssMb += rssMegabytes(pid)
    } catch {
      // It has ended meanwhile; its parent knows what it took.
    }
  }
  return { cpuMs, rssMb }
}

/** User and system time of a process and of its children that have ended. */
function ticksOf(pid: number): number {
  const [, , , , , , , , , , , user = 0, system = 0, childUser = 0, childSystem = 0] = statOf(pid).map(Number)
  return user + system + childUser + childSystem
}

/** The fields of /proc/PID/stat behind the name, the state first. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function familiesOf(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const parent = Number(statOf(Number(name))[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [...roots]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

const LOOK_MS = 250
/** Below this share of a core a program counts as at rest. */
const AT_REST = 0.06
const PATIENCE_MS = 20_000

/** Waits until programs have nothing to do any more, so that what came before is not counted with what comes. */
export async function untilAtRest(pids: readonly number[]): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const before = costOf(pids).cpuMs
    const started = performance.now()
    await delay(LOOK_MS)
    if ((costOf(pids).cpuMs - before) / (performance.now() - started) <= AT_REST) return
    if (Date.now() > until) return
  }
}

/** CPU milliseconds that each group of programs takes while `work` runs, which begins once they are at rest. */
export async function cpuDuring(
  groups: readonly (readonly number[])[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  await untilAtRest(groups.flat())
  const before = groups.map((pids) => costOf(pids).cpuMs)
  await work()
  return groups.map((pids, index) => costOf(pids).cpuMs - (before[index] ?? 0))
}
