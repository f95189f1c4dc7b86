import { parseArgs } from 'node:util'
import { type CameraSettings, DEFAULT_CAMERA_SETTINGS } from '@printwarden/protocol'
import sharp from 'sharp'
import { renderScene } from '../packages/agent/src/cameras/scene.js'
import { openOnnxDetector, SHIPPED_MODEL } from '../packages/server/src/adapters/detector-onnx.js'
import { learnFrom, takeReference, weigh } from '../packages/server/src/detection/context/context.js'
import { lookOf } from '../packages/server/src/detection/cameras/camera-settings.js'
import { type Learned, NOTHING_LEARNED } from '../packages/server/src/detection/context/learned.js'
import type { Findings } from '../packages/server/src/detection/detector.js'

const USAGE = `Measures what each part of the context does to single frames: on printers that print well once, then fail, each with and without
something beside the bed that looks like a tangle.

  --printers N   how many (default 8)
  --frames N     frames a print, a minute apart (default 60)
  --seed S       where the chance begins (default 1)
  --model FILE   an ONNX model (default: the shipped one)
`

const { values } = parseArgs({
  options: {
    printers: { type: 'string', default: '8' },
    frames: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    model: { type: 'string', default: SHIPPED_MODEL },
    help: { type: 'boolean', default: false },
  },
})

const FRAME_MS = 60_000
const FAIL_AT = 0.4

const NONE = { baseline_enabled: false, prototypes_enabled: false, clean_bed_enabled: false, tiles: 'off' } as const
const WAYS: Readonly<Record<string, Partial<CameraSettings>>> = {
  nothing: NONE,
  'clean bed': { ...NONE, clean_bed_enabled: true },
  baseline: { ...NONE, baseline_enabled: true },
  prototypes: { ...NONE, prototypes_enabled: true },
  'all three': { prototypes_enabled: true, tiles: 'off' },
}

/** What became of the frames of one kind. */
class Tally {
  good = 0
  falseAlarms = 0
  failing = 0
  found = 0

  add(score: number, isFailing: boolean): void {
    if (isFailing) {
      this.failing++
      if (score > 0.5) this.found++
    } else {
      this.good++
      if (score > 0.5) this.falseAlarms++
    }
  }
}

/** Loops of filament in the corner of a picture of 640 by 480 pixels. */
function scraps(seed: number): string {
  const at = (i: number, turn: number): number => Math.sin(i * turn + seed) * 45 * (0.4 + 0.6 * ((i * 0.618) % 1))
  const points = Array.from({ length: 120 }, (_, i) => `${75 + at(i, 2.4)},${400 + at(i, 1.7) * 0.7}`)
  return `<path d="M75,400 T${points.join(' T')}" fill="none" stroke="#e8e2d0" stroke-width="2"/>`
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(USAGE)
  const log = { error: console.error, warn: console.error, info: () => {}, debug: () => {} }
  const detector = openOnnxDetector(values.model, log)
  while (!detector.ready()) await new Promise((resolve) => setTimeout(resolve, 50))
  const frames = Number(values.frames)

  /** What the detector finds in a print, frame by frame. */
  async function watch(
    seed: number,
    failAt: number,
    clutter: string,
  ): Promise<{ findings: Findings; failure: number }[]> {
    const found: { findings: Findings; failure: number }[] = []
    for (let frame = 0; frame < frames; frame++) {
      const progress = frame / (frames - 1)
      const failure = Math.min(1, Math.max(0, (progress - failAt) / 0.3))
      const { svg } = renderScene({ seed, progress, failure, failedAt: failAt, frame, printing: progress < 1 })
      const picture = await sharp(Buffer.from(svg.replace('</svg>', `${clutter}</svg>`)))
        .jpeg({ quality: 80 })
        .toBuffer()
      found.push({ findings: await detector.detect(picture, lookOf({ ...DEFAULT_CAMERA_SETTINGS }, false)), failure })
    }
    return found
  }

  const tallies = new Map<string, Tally>()
  for (let printer = 0; printer < Number(values.printers); printer++) {
    const seed = Number(values.seed) * 1000 + printer
    for (const isCluttered of [false, true]) {
      const clutter = isCluttered ? scraps(seed) : ''
      const prints = [await watch(seed, 2, clutter), await watch(seed, FAIL_AT, clutter)]
      for (const [way, changes] of Object.entries(WAYS)) {
        const name = `${isCluttered ? 'scraps in view' : 'tidy'} | ${way}`
        const tally = tallies.get(name) ?? new Tally()
        tallies.set(name, tally)
        replay(prints, { ...DEFAULT_CAMERA_SETTINGS, ...changes }, tally)
      }
    }
  }
  await detector.close()
  console.log('| printers | context | good frames above 0.5 | failing frames above 0.5 |')
  console.log('|---|---|---|---|')
  for (const [name, { good, falseAlarms, failing, found }] of tallies) {
    console.log(`| ${name} | ${falseAlarms} of ${good} | ${found} of ${failing} |`)
  }
}

/** A good print and a failing one of the same printer; a frame counts as failing once a third of its failure is there. */
function replay(prints: { findings: Findings; failure: number }[][], settings: CameraSettings, tally: Tally): void {
  let learned: Learned = NOTHING_LEARNED
  for (const [index, print] of prints.entries()) {
    const started_at = index * 1e9
    for (const [frame, { findings, failure }] of print.entries()) {
      const reference = { print_id: index, started_at, taken_at: started_at + frame * FRAME_MS }
      learned = takeReference(learned, findings, settings, reference)
      const { score } = weigh(findings, settings, learned, index)
      learned = learnFrom(learned, findings, { score, isFine: score < 0.5, sinceMs: FRAME_MS })
      if (failure === 0 || failure > 1 / 3) tally.add(score, failure > 0)
    }
  }
}

await main()
