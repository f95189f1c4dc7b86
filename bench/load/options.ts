import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { LoadOptions } from './bench.js'

/** What was asked for cannot be done; the message says what can. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const whole = (name: string, min: number, max: number) =>
  z.coerce.number().refine((value) => Number.isInteger(value) && value >= min && value <= max, {
    error: `--${name} must be a whole number from ${min} to ${max}`,
  })

/** Load is bounded: the machine that gives it is the one that bears it. */
const Options = z.object({
  runs: whole('runs', 1, 20).default(3),
  seconds: whole('seconds', 1, 300).default(5),
  agents: whole('agents', 1, 10_000).optional(),
  nodes: z
    .string()
    .default('1,2,4')
    .transform((text) => text.split(',').map(Number))
    .refine((counts) => counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 8), {
      error: '--nodes must be numbers from 1 to 8, as 1,2,4',
    }),
  engine: z
    .enum(['embedded', 'fleet'], { error: '--engine must be embedded or fleet (PostgreSQL and Redis)' })
    .default('embedded'),
  json: z.boolean().default(false),
  'cpu-prof': z.string().min(1).optional(),
})

/** The named benchmarks and the options, each checked. */
export interface Request {
  readonly names: readonly string[]
  /** Whether only the list was asked for. */
  readonly isHelp: boolean
  readonly options: LoadOptions
}

/** @throws {UsageError} for unknown options and numbers out of bounds */
export function readRequest(args: readonly string[]): Request {
  const { values, positionals } = parse(args)
  const { data, error } = Options.safeParse(values)
  if (data === undefined) throw new UsageError(error?.issues.map(({ message }) => message).join('\n') ?? '')
  const { 'cpu-prof': cpuProf, agents, ...rest } = data
  return { names: positionals, isHelp: values.help === true, options: { ...rest, agents, cpuProf } }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ runs: text, seconds: text, agents: text, nodes: text, engine: text, 'cpu-prof': text },
        ...{ json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
