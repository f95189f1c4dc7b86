import type { Job } from '@printwarden/protocol'
import type { Current } from './frames.js'
import { asNumber, withoutNull } from './plain.js'

/** The job that has just started: its event knows the file before `current` does. */
export function startedJob(
  job: Job | undefined,
  { name, path, origin, size }: Record<string, unknown>,
): Job | undefined {
  if (typeof path !== 'string' || job?.file.path === path) return job
  const known = typeof name === 'string' ? name : path
  return {
    file: {
      name: known,
      path,
      display: known,
      ...(typeof origin === 'string' ? { origin } : {}),
      ...(typeof size === 'number' ? { size } : {}),
    },
  }
}

/** The loaded job; undefined when none is. */
export function readJob({ job }: Current): Job | undefined {
  const { name, path, display, origin, size, date } = job?.file ?? {}
  if (!job || !name || !path) return undefined
  const filament = readFilament(job.filament)
  return {
    file: {
      name,
      path,
      display: display ?? name,
      ...withoutNull({ size, date }),
      ...(origin ? { origin } : {}),
    },
    estimatedPrintTime: job.estimatedPrintTime ?? null,
    averagePrintTime: job.averagePrintTime ?? null,
    lastPrintTime: job.lastPrintTime ?? null,
    ...(filament ? { filament } : {}),
    ...(job.user ? { user: job.user } : {}),
  }
}

/** With no job OctoPrint fills in `{length: null, volume: null}` in the place of the tools. */
export function readFilament(value: unknown): Job['filament'] {
  if (typeof value !== 'object' || value === null) return undefined
  const tools = Object.entries(value).flatMap(([name, use]: [string, unknown]) => {
    if (!/^tool\d+$/.test(name) || typeof use !== 'object' || use === null) return []
    const { length, volume } = { length: undefined, volume: undefined, ...use } as Record<string, unknown>
    return [[name, withoutNull({ length: asNumber(length), volume: asNumber(volume) })]]
  })
  return tools.length > 0 ? Object.fromEntries(tools) : undefined
}
