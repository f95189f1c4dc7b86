import { readFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { z } from 'zod'
import type { TestServer } from '../testing.js'

const FIXTURES = new URL('../../../../test/fixtures/slicers/', import.meta.url)

const Part = z.object({
  headers: z.array(z.string()),
  text: z.string().optional(),
  /** Whether the part is the G-code. */
  file: z.boolean().optional(),
})

/** One request of a slicer, as in the fixtures. `{key}` stands for the API key, `{printer}` for the id of a printer. */
const Step = z.object({
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  boundary: z.string().optional(),
  parts: z.array(Part).optional(),
  expect: z.object({
    status: z.number(),
    filename: z.string().optional(),
    folders: z.array(z.string()).optional(),
    printed: z.boolean().optional(),
  }),
})
export type SlicerStep = z.infer<typeof Step>

const Recording = z.object({ note: z.string(), steps: z.array(Step) })

/** What a slicer sends, request by request. */
export async function slicerSteps(name: string, printerId: number): Promise<SlicerStep[]> {
  const text = await readFile(new URL(`${name}.json`, FIXTURES), 'utf8')
  const { steps } = Recording.parse(JSON.parse(text))
  return steps.map((step) => ({
    ...step,
    ...(step.parts && { parts: step.parts.map((part) => filled(part, printerId)) }),
  }))
}

const filled = (part: z.infer<typeof Part>, printerId: number): z.infer<typeof Part> =>
  part.text === undefined ? part : { ...part, text: part.text.replace('{printer}', String(printerId)) }

export interface SlicerAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the body was sent only once the server had said to go on. */
  readonly wasAskedToGoOn: boolean
}

/** Sends a request byte for byte as the slicer does, waiting for "100 Continue" where it waits. */
export async function playStep(
  server: Pick<TestServer, 'url'>,
  step: SlicerStep,
  key: string,
  gCode: string | Uint8Array = '',
): Promise<SlicerAnswer> {
  const body = bodyOf(step, gCode)
  const headers: Record<string, string | number> = { ...step.headers, 'Content-Length': body.length }
  for (const [name, value] of Object.entries(step.headers)) headers[name] = value.replace('{key}', key)
  const sent = request(`${server.url}${step.path}`, { method: step.method, headers })
  let wasAskedToGoOn = false
  if (step.headers['Expect'] === undefined) sent.end(body)
  else {
    sent.once('continue', () => {
      wasAskedToGoOn = true
      sent.end(body)
    })
    sent.flushHeaders()
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
  })
  const text = await textOf(response)
  sent.destroy()
  return { status: response.statusCode ?? 0, headers: response.headers, text, wasAskedToGoOn }
}

function bodyOf({ boundary = '', parts = [] }: SlicerStep, gCode: string | Uint8Array): Buffer {
  if (parts.length === 0) return Buffer.alloc(0)
  const chunks = parts.flatMap(({ headers, text, file }) => [
    `--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`,
    file === true ? gCode : (text ?? ''),
    '\r\n',
  ])
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)))
}
