import { z } from 'zod'

const heater = z.object({ bool: z.boolean().catch(true), value: z.coerce.number() })
const Preset = z.object({ name: z.string(), values: z.record(z.string(), heater.optional().catch(undefined)) })
const Presets = z.object({ value: z.record(z.string(), Preset.optional().catch(undefined)) })

/** Where Mainsail keeps its temperature presets in Moonraker's database. */
export const PRESETS_KEY = { namespace: 'mainsail', key: 'presets.presets' }

/** Mainsail's temperature presets as profiles: a name and a target for each heater, by Klipper's names. */
export function readPresets(result: unknown): Record<string, unknown>[] {
  const presets = Object.values(Presets.safeParse(result).data?.value ?? {})
  return presets.flatMap((preset) => {
    if (!preset) return []
    const targets = Object.entries(preset.values).flatMap(([name, set]) => (set?.bool ? [[name, set.value]] : []))
    return [{ name: preset.name, ...Object.fromEntries(targets) }]
  })
}
