import type { Command } from 'commander'
import { z } from 'zod'
import { ConfigError } from '../config.js'
import { CommandError } from './command-error.js'
import { type Connection, openConnection } from './connection.js'

const DEFAULT_URL = 'http://127.0.0.1:3334'

/** What a command answers: the whole for machines, some lines for people. */
export interface Answer {
  readonly json: unknown
  readonly lines: readonly string[]
  /** Whether the command found something wrong: exit code 1. */
  readonly isFailure?: boolean
}

/** What every command understands, and the program's own `--env-file`. */
const CommonOptions = z.object({
  url: z.string(),
  token: z.string().optional(),
  code: z.string().optional(),
  json: z.boolean().default(false),
  envFile: z.string().optional(),
})

/** How a command names what others name too. */
export interface CommandWords {
  /** The administrator's token, where `--token` means another one. */
  readonly adminToken?: string
}

/** For a command that has only the options that all have. */
export const NoOptions = z.object({})

/**
 * Gives a command the options that all have, and does its work: one answer on stdout, or one line on stderr and exit code 1.
 * `optionsSchema` has the command's own options, as commander names them.
 */
export function onServer<Options extends z.ZodType>(
  command: Command,
  optionsSchema: Options,
  work: (server: Connection, options: z.output<Options>, args: readonly string[]) => Promise<Answer>,
  { adminToken = 'token' }: CommandWords = {},
): void {
  command
    .option('--url <url>', 'the server', DEFAULT_URL)
    .option(`--${adminToken} <token>`, "an administrator's token, instead of PRINTWARDEN_ADMIN_EMAIL and _PASSWORD")
    .option('--code <code>', 'of the authenticator, when the administrator signs in in two steps')
    .option('--json', 'answer in JSON')
    .action(async () => {
      const given: unknown = command.optsWithGlobals()
      const common = CommonOptions.parse({
        ...command.optsWithGlobals(),
        token: command.getOptionValue(camel(adminToken)),
      })
      await answer(common.json, () =>
        work(openConnection({ ...common, tokenOption: `--${adminToken}` }), optionsSchema.parse(given), command.args),
      )
    })
}

/** The same for a command that works on the data itself, while no server runs. */
export function onData<Options extends z.ZodType>(
  command: Command,
  optionsSchema: Options,
  work: (options: z.output<Options>) => Promise<Answer>,
): void {
  command.option('--json', 'answer in JSON').action(async () => {
    const given: unknown = command.optsWithGlobals()
    const { json } = CommonOptions.pick({ json: true }).parse(given)
    await answer(json, () => work(optionsSchema.parse(given)))
  })
}

async function answer(asJson: boolean, work: () => Promise<Answer>): Promise<void> {
  try {
    print(await work(), asJson)
  } catch (error) {
    fail(error)
  }
}

/** A long option as commander names its value. */
const camel = (option: string): string => option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function print({ json, lines, isFailure = false }: Answer, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json, null, 2)}\n` : lines.map((line) => `${line}\n`).join(''))
  if (isFailure) process.exitCode = 1
}

function fail(error: unknown): void {
  if (!(error instanceof CommandError || error instanceof ConfigError)) throw error
  process.stderr.write(`printwarden-server: ${error.message.replaceAll('\n', '; ')}\n`)
  process.exitCode = 1
}
