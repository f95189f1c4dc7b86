import type { PrinterChanges } from '@printwarden/protocol'

/** What a caller changed, as columns: the database keeps truth as 0 and 1. What was not sent is not there. */
export function printerColumns({ watching_enabled, tools_off_on_pause, bed_off_on_pause, ...same }: PrinterChanges) {
  return defined({
    ...same,
    watching_enabled: bit(watching_enabled),
    tools_off_on_pause: bit(tools_off_on_pause),
    bed_off_on_pause: bit(bed_off_on_pause),
  })
}

function bit(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

function defined<T extends object>(object: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const result: { [Name in keyof T]?: Exclude<T[Name], undefined> } = { ...object }
  for (const name in object) {
    if (object[name] === undefined) delete result[name]
  }
  return result
}
