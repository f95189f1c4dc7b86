import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { z } from 'zod'
import { importToken } from '../config.js'
import { type Answer, onServer } from './command.js'
import { CommandError } from './command-error.js'
import type { Connection } from './connection.js'
import { bytesText } from './importing/amounts.js'
import { estimateLine } from './importing/estimate.js'
import { sourceLists } from './importing/lists.js'
import { showProgress } from './importing/progress.js'
import { openSource } from './importing/source-client.js'
import { SourceError } from './importing/source-error.js'
import { hasFailed, noteMissing, plainText, summaryLines } from './importing/summary.js'
import { importTarget } from './importing/target.js'
import { bringOver, type Group, GROUPS } from './importing/work.js'

const Options = z.object({
  from: z.string(),
  token: z.string().optional(),
  user: z.string().optional(),
  dryRun: z.boolean().default(false),
  newAgentTokens: z.boolean().default(false),
  only: z.string().default(GROUPS.join(',')),
  envFile: z.string().optional(),
})
type Options = z.infer<typeof Options>

/** `import` */
export function addImportCommand(program: Command): void {
  onServer(
    program
      .command('import')
      .description(
        "bring over an account of another server that speaks the same API: printers with their agents' tokens, prints, files, settings. Nothing is changed there; nothing is overwritten here; begun again it goes on",
      )
      .requiredOption('--from <url>', 'the other server, such as https://old.example')
      .option(
        '--token <token>',
        'a token of the account there; - reads it from the input, else PRINTWARDEN_IMPORT_TOKEN',
      )
      .option('--user <email>', "whose account here takes it; the administrator's own when left out")
      .option('--dry-run', 'only show what would come, how much, and how long it may take')
      .option('--only <what>', `some of ${GROUPS.join(',')}`)
      .option('--new-agent-tokens', 'give the agents new tokens here, so that they have to be linked anew'),
    Options,
    async (server, options) => {
      try {
        return await runImport(server, options)
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        throw new CommandError(`${options.from}: ${error.message}${adviceOf(error)}`, { cause: error })
      }
    },
    { adminToken: 'admin-token' },
  )
}

async function runImport(server: Connection, options: Options): Promise<Answer> {
  const base = sourceUrl(options.from)
  const only = groupsOf(options.only)
  const source = await openSource(base, await tokenOf(options))
  const odd: string[] = []
  const lists = sourceLists(source, (what) => odd.push(what))
  const user = await lists.user()
  const version = await lists.version()
  if (only.has('printers') && !options.newAgentTokens) await requireTokens(lists)

  const target = importTarget(server, {
    ...{ email: options.user, isDryRun: options.dryRun },
    source: { url: base.href.replace(/\/+$/, ''), user_id: user.id },
  })
  const stop = (): void => {
    process.stderr.write('\nstopped; the same command goes on from here\n')
    process.exit(130)
  }
  process.once('SIGINT', stop)
  const { summary, estimate } = await bringOver({
    ...{ source, lists, target, user, only, show: showProgress(process.stderr) },
    keepsTokens: !options.newAgentTokens,
  }).finally(() => process.off('SIGINT', stop))
  for (const kind of odd) {
    noteMissing(summary, {
      kind,
      source_id: 0,
      name: '',
      what: 'left_out',
      reason: 'what is said of it cannot be understood',
    })
  }
  const measured = options.dryRun ? await estimate.measure(source) : undefined
  const from = { url: base.href, email: user.email, version: version ?? null }
  return {
    json: { from, email: target.account(), dry_run: options.dryRun, ...summary, to_download: measured ?? null },
    lines: [
      plainText(
        `from ${user.email} at ${base.host}${version === undefined ? '' : ` (version ${version})`} to ${target.account()} at ${server.url}`,
      ),
      ...summaryLines(summary, options.dryRun),
      measured === undefined ? `downloaded: ${bytesText(summary.bytes)}` : estimateLine(measured),
    ],
    isFailure: hasFailed(summary),
  }
}

/** A token that may only read is not shown the agents' tokens by every server. */
async function requireTokens(lists: ReturnType<typeof sourceLists>): Promise<void> {
  const hidden = (await lists.printers()).filter(({ auth_token }) => auth_token == null)
  if (hidden.length === 0) return
  throw new CommandError(
    "the token is not shown the agents' tokens there; give one with the scopes read and write, or --new-agent-tokens to link the agents anew",
  )
}

function sourceUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return new URL(url.origin + url.pathname)
  throw new CommandError(`--from ${given}: is no URL of a server; it looks like https://old.example`)
}

function groupsOf(only: string): Set<Group> {
  const known: readonly string[] = GROUPS
  const names = only.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined) throw new CommandError(`--only ${wrong}: is none of ${GROUPS.join(', ')}`)
  return new Set(GROUPS.filter((group) => names.includes(group)))
}

/** A token on the command line is seen by everybody on the machine, so there are two other ways. */
async function tokenOf({ token, envFile }: Options): Promise<string> {
  const found = (token === '-' ? await text(process.stdin) : (token ?? importToken(envFile) ?? '')).trim()
  if (found === '')
    throw new CommandError(
      'no token of the other server; set PRINTWARDEN_IMPORT_TOKEN, or give --token - and type it in',
    )
  if (!/^[\x21-\x7E]+$/.test(found))
    throw new CommandError('the token of the other server holds what no token can hold')
  return found
}

function adviceOf({ code }: SourceError): string {
  switch (code) {
    case 'unauthorized':
      return '; make one there with the scopes read and write. An agent’s token is another thing'
    case 'unreachable':
      return '; is that the address that you open in the browser? The same command goes on from where it stopped'
    case 'broken':
      return '; try again later: the same command goes on from where it stopped'
    case 'gone':
    case 'not_understood':
    case 'refused_address':
      return ''
  }
}
