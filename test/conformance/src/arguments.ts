import { extname } from 'node:path'
import { parseArgs } from 'node:util'
import { type Group, GROUPS } from './case.js'

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const USAGE = `usage: printwarden-conformance --target target.json [options]
       printwarden-conformance agent --listen 127.0.0.1:PORT --auth-token TOKEN [--start COMMAND] [options]

Tests a server, or an agent that is pointed at the kit.

  --target FILE        the server, and what was made there for the run
  --listen HOST:PORT   where the kit waits for the agent; port 0 takes a free one
  --auth-token TOKEN   the token that the agent is configured with
  --start COMMAND      starts the agent; without it you are asked to start it
  --only WHAT          a case, a file of cases (printers), a section ("api.md §4.2"), a group, or a piece of an id; repeatable
  --group GROUP        contract or decisions
  --report FILE        writes the outcome, as .json or .html; repeatable
  --timeout SECONDS    how long one case may take at least
  --list               shows the cases without running them`

/** What the user wants. */
export interface Arguments {
  readonly subject: 'server' | 'agent'
  readonly help: boolean
  readonly list: boolean
  readonly target: string | undefined
  readonly listen: { readonly host: string; readonly port: number } | undefined
  readonly authToken: string | undefined
  readonly start: string | undefined
  readonly only: readonly string[]
  readonly group: Group | undefined
  readonly reports: readonly string[]
  readonly timeoutMs: number | undefined
}

/**
 * Reads the command line.
 * @throws {UsageError} with everything that is wrong with it
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args)
  const problems: string[] = []
  const subject = positionals[0] === 'agent' ? 'agent' : 'server'
  for (const word of positionals.slice(subject === 'agent' ? 1 : 0)) problems.push(`"${word}" is not understood`)
  const isRun = values.list !== true && values.help !== true
  const { group, report = [], timeout, listen } = values
  if (isRun && subject === 'server' && values.target === undefined) problems.push('--target is missing')
  if (isRun && subject === 'agent' && listen === undefined) problems.push('--listen is missing')
  if (isRun && subject === 'agent' && values['auth-token'] === undefined) problems.push('--auth-token is missing')
  for (const name of subject === 'server' ? (['listen', 'auth-token', 'start'] as const) : (['target'] as const)) {
    if (values[name] !== undefined) problems.push(`--${name} is not for ${subject === 'server' ? 'servers' : 'agents'}`)
  }
  const address = listen === undefined ? undefined : /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(listen)
  if (listen !== undefined && !address) problems.push(`--listen is HOST:PORT, not "${listen}"`)
  if (group !== undefined && !isGroup(group)) problems.push(`--group is ${GROUPS.join(' or ')}, not "${group}"`)
  for (const file of report) {
    if (!['.json', '.html'].includes(extname(file))) problems.push(`--report ends in .json or .html, unlike "${file}"`)
  }
  if (timeout !== undefined && !(Number(timeout) > 0))
    problems.push(`--timeout is a number of seconds, not "${timeout}"`)
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  return {
    subject,
    help: values.help === true,
    list: values.list === true,
    target: values.target,
    listen: address ? { host: (address[1] ?? '').replaceAll(/[[\]]/g, ''), port: Number(address[2]) } : undefined,
    authToken: values['auth-token'],
    start: values.start,
    only: values.only ?? [],
    group: group !== undefined && isGroup(group) ? group : undefined,
    reports: report,
    timeoutMs: timeout === undefined ? undefined : Number(timeout) * 1000,
  }
}

const isGroup = (text: string): text is Group => GROUPS.some((group) => group === text)

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const texts = { type: 'string', multiple: true } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        target: text,
        listen: text,
        'auth-token': text,
        start: text,
        only: texts,
        group: text,
        report: texts,
        timeout: text,
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (err) {
    throw new UsageError(err instanceof Error ? err.message : String(err))
  }
}
