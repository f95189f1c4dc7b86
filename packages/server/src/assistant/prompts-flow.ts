import { readFile } from 'node:fs/promises'
import { packageFile } from '../package-files.js'

/**
 * What the model is told before it is asked. A new wording is a new file, so that the book says by which one an answer was made. `plain` is for
 * general questions where the model has no tools.
 */
const NAMES = {
  general: 'general.v2',
  plain: 'general.v1',
  slicer: 'slicer.v1',
  plate: 'plate.v1',
  postMortem: 'post-mortem.v1',
  summary: 'summary.v1',
} as const

const FOLDER = packageFile('prompts/')

/** One prompt: its name with the version, and its text with `values` put in. */
export interface Prompt {
  readonly name: string
  text(values?: Readonly<Record<string, string>>): string
}

export type Prompts = Readonly<Record<keyof typeof NAMES, Prompt>>

/** Reads every prompt. @throws when one is missing */
export async function readPrompts(): Promise<Prompts> {
  const [general, plain, slicer, plate, postMortem, summary] = await Promise.all([
    readPrompt(NAMES.general),
    readPrompt(NAMES.plain),
    readPrompt(NAMES.slicer),
    readPrompt(NAMES.plate),
    readPrompt(NAMES.postMortem),
    readPrompt(NAMES.summary),
  ])
  return { general, plain, slicer, plate, postMortem, summary }
}

async function readPrompt(name: string): Promise<Prompt> {
  const template = (await readFile(new URL(`${name}.md`, FOLDER), 'utf8')).trim()
  return {
    name,
    text(values = {}) {
      // In one pass, so that what is put in is never looked at again.
      return template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
        const value = values[key]
        if (value === undefined) throw new Error(`the prompt ${name} has no value for ${key}`)
        return value
      })
    },
  }
}
