import { type PrinterStatus, Temperature } from '@printwarden/protocol'

/** A heater that is further below its target than this is heating up. */
const HEATING_DEGREES = 5

/** Whether a good camera's picture should change: the printer prints, and does not stand still to heat up. */
export function isMoving(status: Pick<PrinterStatus, 'state' | 'temperatures'> | null): boolean {
  if (status === null || status.state.text !== 'Printing') return false
  const { printing, paused, pausing } = status.state.flags
  if (!printing || paused || pausing) return false
  return !Object.values(status.temperatures ?? {}).some(isHeating)
}

function isHeating(heater: unknown): boolean {
  const temperature = Temperature.safeParse(heater).data
  if (temperature === undefined) return false
  const { actual, target } = temperature
  return typeof target === 'number' && target > 0 && typeof actual === 'number' && actual < target - HEATING_DEGREES
}
