import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SHIPPED_MODEL } from '../packages/server/src/adapters/detector-onnx.js'
import { evaluateModel } from './model-eval-run.js'
import { asTable } from './model-eval-table.js'

const USAGE = `Measures how well a failure detector does on labelled pictures.

  npm run model:eval -- DIR [--model FILE] [--json FILE] [--classes 0,1] [--tiles] [--rounds N]

  DIR            pictures in images/ with labels/ beside it (YOLO), or both in one folder; folders below are read too
  --model FILE   an ONNX file (default: the model that the server ships)
  --json FILE    writes all figures, and each picture's score, to this file
  --classes A,B  classes of labels that are to be found (default 0,1); a picture without any is a good print
  --tiles        looks at four overlapping quarters of each picture as well
  --rounds N     draws that the intervals come from (default 2000)

A manifest.json in DIR, a list of { file, source, group }, tells scenes (groups) and sources apart.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: SHIPPED_MODEL },
    json: { type: 'string' },
    classes: { type: 'string', default: '0,1' },
    tiles: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})

/** Paths are meant from where the command was typed; npm runs it in the repository's root. */
function pathOf(text: string): string {
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), text)
}

function numbersOf(name: string, text: string): number[] {
  const numbers = text.split(',').map(Number)
  if (numbers.some((number) => !Number.isInteger(number) || number < 0)) {
    throw new Error(`--${name} takes whole numbers, not "${text}".`)
  }
  return numbers
}

/** A line that is written over in a terminal; elsewhere a line for each tenth. */
function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all} pictures${done === all ? '\n' : ''}`)
  else if (Math.floor((done * 10) / all) > Math.floor(((done - 1) * 10) / all))
    process.stderr.write(`${done} of ${all} pictures\n`)
}

async function main(folder: string): Promise<void> {
  const [rounds = 0] = numbersOf('rounds', values.rounds)
  const report = await evaluateModel({
    folder: pathOf(folder),
    modelPath: pathOf(values.model),
    classes: numbersOf('classes', values.classes),
    tiles: values.tiles,
    rounds,
    onProgress: showProgress,
  })
  process.stdout.write(asTable(report))
  if (values.json !== undefined) await writeFile(pathOf(values.json), `${JSON.stringify(report, null, 1)}\n`)
}

const [folder] = positionals
if (values.help || folder === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = values.help ? 0 : 2
} else {
  try {
    await main(folder)
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`)
    process.exitCode = 1
  }
}
