import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SHIPPED_MODEL } from '../../packages/server/src/adapters/detector-onnx.js'
import { type Figures, figuresOf } from './figures.js'
import { printFolders, readScores, scoreFrames } from './given.js'
import { openLookBook } from './look-book.js'
import { lookedTimelines, SMALL_PRINTERS } from './looked.js'
import { makeSet } from './make-set.js'
import { CONTEXT_POLICIES, POLICIES, type Policy } from './policies.js'
import { replay } from './replay.js'
import { openScoreBook } from './score-book.js'
import { PLAN, ScoreSet, timelinesOf } from './sets.js'
import { tableOf } from './table.js'
import type { Timeline } from './timeline.js'

const USAGE = `Replays whole prints through the server's decisions and compares ways to decide.

Prints, one of:
  (none)           simulated prints from the kept scores (training/sequences/data)
  --make           simulated prints from pictures that are rendered and looked at now; needs --data; answers are cached
  --set FILE       simulated prints from the scores in FILE
  --frames DIR     pictures: DIR, or each folder below it, is one print (see training/sequences/README.md)
  --scores FILE    JSON lines with time, score, boxes
  --context        instead: what each part of the context does, on real frames with small failures and things that confuse

Options:
  --printers N     how many printers for --context (default 40)
  --data DIR       photos as training/README.md describes them, for --make
  --keep           with --make: also writes the kept scores anew
  --model FILE     the model to look with (default: the shipped one)
  --half WHICH     tune, report or both (default report): the halves share no scene and no rendered print
  --seed N         which simulated timelines (default 1)
  --only TEXT      only ways to decide whose name holds TEXT; may be given several times
  --by-source      a row more for each source of timelines
  --rounds N       rounds of the bootstrap (default 1000)
  --cache DIR      where pictures and answers are kept (default training/.cache/sequences)
  --json           figures as JSON
`

const here = dirname(fileURLToPath(import.meta.url))
const KEPT_SET = join(here, 'data', 'scores.json')

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    set: { type: 'string', default: KEPT_SET },
    make: { type: 'boolean', default: false },
    frames: { type: 'string' },
    scores: { type: 'string' },
    context: { type: 'boolean', default: false },
    printers: { type: 'string', default: String(SMALL_PRINTERS) },
    data: { type: 'string' },
    model: { type: 'string', default: SHIPPED_MODEL },
    half: { type: 'string', default: 'report' },
    seed: { type: 'string', default: String(PLAN.seed) },
    only: { type: 'string', multiple: true },
    'by-source': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1000' },
    cache: { type: 'string', default: join(here, '..', '.cache', 'sequences') },
    json: { type: 'boolean', default: false },
  },
})

const tell = (text: string): void => void process.stderr.write(`${text}\n`)

function inHalf(all: Timeline[]): Timeline[] {
  const half = { tune: 0, report: 1 }[values.half]
  if (half === undefined && values.half !== 'both') throw new Error('--half is tune, report or both')
  return all.filter((timeline) => half === undefined || timeline.half === half)
}

async function keptOrMadeSet(): Promise<ScoreSet> {
  if (!values.make) return ScoreSet.parse(JSON.parse(await readFile(values.set, 'utf8')))
  if (values.data === undefined || !existsSync(values.data)) throw new Error('--make needs --data DIR')
  const book = await openScoreBook(values.model, values.cache)
  const set = await makeSet(book, { data: values.data, cacheDir: values.cache, tell })
  await book.close()
  if (values.keep) await writeFile(KEPT_SET, `${JSON.stringify(set)}\n`)
  return set
}

async function smallFailures(): Promise<Timeline[]> {
  const book = await openLookBook(values.model, values.cache)
  const prints = await lookedTimelines(book, Number(values.printers), tell)
  await book.close()
  return prints
}

async function timelines(): Promise<Timeline[]> {
  if (values.context) return smallFailures()
  if (values.scores !== undefined) return readScores(await readFile(values.scores, 'utf8'), basename(values.scores))
  if (values.frames === undefined)
    return inHalf(timelinesOf(await keptOrMadeSet(), { ...PLAN, seed: Number(values.seed) }))
  const book = await openScoreBook(values.model, values.cache)
  const prints: Timeline[] = []
  for (const dir of await printFolders(values.frames)) prints.push(await scoreFrames(book, dir))
  await book.close()
  return prints
}

function isChosen(policy: Policy): boolean {
  return values.only === undefined || values.only.some((text) => policy.name.includes(text))
}

/** A row for each way to decide, and with `--by-source` for each source of its timelines. */
function rowsOf(prints: readonly Timeline[]): { name: string; figures: Figures }[] {
  const rounds = Number(values.rounds)
  const sources = values['by-source'] ? [...new Set(prints.map((print) => print.source))] : []
  return (values.context ? CONTEXT_POLICIES : POLICIES).filter(isChosen).flatMap((policy) => {
    tell(policy.name)
    const outcomes = prints.map((print) => ({ source: print.source, ...replay(print, policy) }))
    const parts = sources.map((source) => ({
      name: `${policy.name}: ${source}`,
      figures: figuresOf(
        outcomes.filter((outcome) => outcome.source === source),
        rounds,
      ),
    }))
    return [{ name: policy.name, figures: figuresOf(outcomes, rounds) }, ...parts]
  })
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(USAGE)
  const prints = await timelines()
  if (prints.length === 0) throw new Error('there is no print to replay')
  const rows = rowsOf(prints)
  const failing = prints.filter((print) => print.visibleAt !== null).length
  if (values.json) {
    const facts = { timelines: prints.length, failing, half: values.half, seed: Number(values.seed) }
    process.stdout.write(`${JSON.stringify({ ...facts, rows }, null, 2)}\n`)
  } else {
    process.stdout.write(`${prints.length} prints, ${failing} of them fail\n\n${tableOf(rows)}\n`)
  }
}

await main()
