import { readdirSync, readFileSync } from 'node:fs'
import { cpuMicros, rssMegabytes } from './measure.js'

/** What a program and those that it has started take: resident memory in megabytes and CPU time so far in microseconds (Linux). */
export interface TreeCost {
  readonly rss: number
  readonly cpuMicros: number
}

/** Shells, which only start others, and processes whose command line matches `without` are not counted. */
export function treeCost(root: number, without: RegExp): TreeCost {
  let rss = 0
  let cpu = 0
  for (const pid of descendantsOf(root)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      if (command === '' || /^(\S*\/)?(ba)?sh /.test(command) || without.test(command)) continue
      rss += rssMegabytes(pid)
      cpu += cpuMicros(pid)
    } catch {
      // It has ended meanwhile.
    }
  }
  return { rss, cpuMicros: cpu }
}

function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(Number(name))
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
