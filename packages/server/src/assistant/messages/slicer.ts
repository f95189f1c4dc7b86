import type { ChatQuestion, Plate, SlicerPreset } from '@printwarden/protocol'
import { withoutMarks } from '../tools/data-text.js'
import type { Words } from '../words.js'

/** As much of what a slicer has loaded is shown to the model, in characters of JSON. */
const MAX_DATA_LENGTH = 80_000

/** Whether a slicer asks: others send neither plates nor profiles. */
export function isOfSlicer({ plates, slicing_profiles }: ChatQuestion): boolean {
  return plates != null || slicing_profiles != null
}

/** What a slicer's user has to do before the model can help, in words (wire facts, section 1.16); undefined when it can. */
export function unmetNeed({ plates, slicing_profiles: profiles }: ChatQuestion, words: Words): string | undefined {
  const models = (plates ?? []).flatMap((plate) => plate.model_objects ?? [])
  const extruders = new Set(models.map(({ extruder_id }) => extruder_id).filter((id) => id != null))
  if ((plates ?? []).length === 0) return words.noPlate
  if (models.length === 0) return words.noModel
  if (profiles?.filament_presets?.length !== 1) return words.oneFilament
  if ((profiles.print_process_presets ?? []).length === 0) return words.noProcess
  return extruders.size > 1 ? words.oneExtruder : undefined
}

/** What a slicer has loaded, as JSON for the model: all names, and the settings of what is selected. */
export function slicerData({ plates, slicing_profiles: profiles }: ChatQuestion): string {
  const processes = profiles?.print_process_presets ?? []
  const selected = processes.find(({ is_selected }) => is_selected === true) ?? processes[0]
  const data = {
    plates: platesData(plates ?? []),
    filament: (profiles?.filament_presets ?? []).map(({ name, config }) => ({ name, config: config ?? {} })),
    print_process_presets: processes.map(({ name }) => name),
    selected_print_process: selected === undefined ? null : { name: selected.name, config: selected.config ?? {} },
    filament_overrides: profiles?.filament_overrides ?? {},
    print_process_overrides: profiles?.print_process_overrides ?? {},
  }
  const text = withoutMarks(JSON.stringify(data))
  if (text.length <= MAX_DATA_LENGTH) return text
  // Settings are the long part; without them the model can still choose a preset.
  const short = { ...data, filament: data.filament.map(({ name }) => name), selected_print_process: selected?.name }
  const told = { ...short, filament_overrides: {}, print_process_overrides: {} }
  return withoutMarks(JSON.stringify(told)).slice(0, MAX_DATA_LENGTH)
}

/** What stands on the plates. */
export function platesData(plates: readonly Plate[]): unknown {
  return plates.map(({ model_objects: models }) => (models ?? []).map(({ name }) => name ?? null))
}

/** Names of the settings that presets have; undefined when no preset tells any. */
export function settingNames(presets: readonly SlicerPreset[]): ReadonlySet<string> | undefined {
  const names = presets.flatMap(({ config }) => Object.keys(config ?? {}))
  return names.length === 0 ? undefined : new Set(names)
}
