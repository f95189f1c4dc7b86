import { PRINTER_EVENT_GROUPS, type PrinterEventType } from '@printwarden/protocol'

type Group = keyof typeof PRINTER_EVENT_GROUPS

/** The types that were asked for, with groups replaced by what they stand for; undefined means all. */
export function eventTypesOf(asked: readonly (PrinterEventType | Group)[] | undefined): PrinterEventType[] | undefined {
  if (asked === undefined) return undefined
  return [...new Set(asked.flatMap((name) => (isGroup(name) ? PRINTER_EVENT_GROUPS[name] : [name])))]
}

const isGroup = (name: string): name is Group => name in PRINTER_EVENT_GROUPS
