import type { AssistantPicture } from '@printwarden/protocol'
import type { z } from 'zod'
import type { Clock, Database } from '../../ports.js'
import type { FactsFlow } from '../../printers/facts-flow.js'
import type { Viewer } from '../../prints/view.js'
import type { ProposeFlow } from '../proposals/propose-flow.js'
import type { NewProposal } from '../proposals/proposal-store.js'

/** What tools read from. None of it can make a printer do anything. */
export interface ToolDeps {
  readonly database: Database
  readonly clock: Clock
  readonly facts: FactsFlow
  readonly proposing: ProposeFlow
}

/** For whom things are looked up. */
export interface ToolCaller {
  readonly user_id: number
  readonly viewer: Viewer
}

/** What came of a look. */
export interface ToolAnswer {
  /** What was looked at, in words; undefined when nothing was. */
  readonly about?: string
  /** What the model is told, as data. */
  readonly data: unknown
  /** What the user is shown beside the answer. */
  readonly pictures?: readonly AssistantPicture[]
  readonly proposal?: NewProposal
}

/** Something that a model may look up, or propose. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  run(input: z.output<Input>, caller: ToolCaller, deps: ToolDeps): Promise<ToolAnswer>
}

/** Declares a tool, keeping the type of its input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return { ...tool, run: (input, caller, deps) => tool.run(tool.input.parse(input), caller, deps) }
}

/** An answer that says why there is none. */
export const noAnswer = (error: string): ToolAnswer => ({ data: { error } })
