import { AGENT_ACTIONS, type AssistantMessage, type ChatQuestion } from '@printwarden/protocol'
import { z } from 'zod'
import type { ModelAnswer, ModelTool } from '../model.js'
import { settingNames } from './slicer.js'

// What a model may ask a slicer for, and what of it is passed on: names and values only, of things that the slicer itself has named.

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const Action = z.object({ name: z.enum(AGENT_ACTIONS), arguments: z.record(z.string(), z.unknown()).optional() })

const Settings = z.object({
  use_print_process_preset: z.string(),
  filament_overrides: z.record(z.string(), z.union([value.transform((one) => [one]), z.array(value)])).optional(),
  print_process_overrides: z.record(z.string(), value).optional(),
  explanations: z.array(z.object({ parameter: z.string(), explanation: z.string() })).optional(),
})

/** More than this of anything is no help to anybody. */
const MAX_ITEMS = 100

export const SLICER_TOOLS: readonly ModelTool[] = [
  {
    name: 'propose_action',
    description: 'Propose that the slicer does something. Its user is asked first.',
    // What travels must be a plain schema: what is read is checked by the stricter one above.
    input: z.object({ name: z.enum(AGENT_ACTIONS), arguments: z.record(z.string(), z.unknown()).optional() }),
  },
  {
    name: 'suggest_settings',
    description: 'Suggest a print process preset, and settings that differ from it, with a reason for each.',
    input: z.object({
      use_print_process_preset: z.string().describe('the name of one of the print process presets'),
      filament_overrides: z.record(z.string(), z.unknown()).optional(),
      print_process_overrides: z.record(z.string(), z.unknown()).optional(),
      explanations: z.array(z.object({ parameter: z.string(), explanation: z.string() })).optional(),
    }),
  },
]

/** The parts of a message that a model's wishes become. */
export type Wishes = Pick<AssistantMessage, 'agent_actions' | 'per_override_explanations' | 'slicing_profiles'>

export function wishesOf({ calls }: Pick<ModelAnswer, 'calls'>, question: ChatQuestion): Wishes {
  const actions = calls
    .filter(({ name }) => name === 'propose_action')
    .flatMap(({ input }) => {
      const action = Action.safeParse(input).data
      return action === undefined ? [] : [{ name: action.name, arguments: action.arguments ?? {} }]
    })
    .slice(0, MAX_ITEMS)
  const suggested = calls.find(({ name }) => name === 'suggest_settings')
  return {
    ...(actions.length === 0 ? {} : { agent_actions: actions }),
    ...(suggested === undefined ? {} : settingsOf(suggested.input, question)),
  }
}

function settingsOf(input: unknown, { slicing_profiles: profiles }: ChatQuestion): Wishes {
  const wish = Settings.safeParse(input).data
  const presets = profiles?.print_process_presets ?? []
  if (wish === undefined || !presets.some(({ name }) => name === wish.use_print_process_preset)) return {}
  const filament_overrides = known(wish.filament_overrides, settingNames(profiles?.filament_presets ?? []))
  const print_process_overrides = known(wish.print_process_overrides, settingNames(presets))
  const kept = new Set([...Object.keys(filament_overrides), ...Object.keys(print_process_overrides)])
  const explanations = (wish.explanations ?? []).filter(({ parameter }) => kept.has(parameter))
  return {
    slicing_profiles: {
      use_print_process_preset: wish.use_print_process_preset,
      filament_overrides,
      print_process_overrides,
    },
    ...(explanations.length === 0 ? {} : { per_override_explanations: explanations.slice(0, MAX_ITEMS) }),
  }
}

/** Those of settings that the slicer has. */
function known<T>(
  settings: Readonly<Record<string, T>> = {},
  names: ReadonlySet<string> | undefined,
): Record<string, T> {
  const entries = Object.entries(settings).filter(([name]) => names === undefined || names.has(name))
  return Object.fromEntries(entries.slice(0, MAX_ITEMS))
}
