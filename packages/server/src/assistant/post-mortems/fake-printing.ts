import { AGENT_SUBPROTOCOL, type StateText } from '@printwarden/protocol'
import sharp from 'sharp'
import { newEventId, statusMessage, TestAgent, until } from '../../agents/testing.js'
import type { Detector, Findings } from '../../detection/detector.js'
import type { TestServer } from '../../testing.js'

// A printer for tests, as its agent: it prints over a real websocket, with temperatures, pictures and events.

/** A detector that finds what `looks` says; `analysed` counts pictures. */
export function fakeLooks() {
  const looks = { score: 0.05, analysed: 0 }
  const detector: Detector = {
    async detect(): Promise<Findings> {
      const { score } = looks
      return {
        ...{ score, detections: [['failure', score, [32, 24, 10, 10]]], model: 'test/1', tagged: null },
        times: { decodeMs: 0, inferenceMs: 0, drawMs: 0 },
      }
    },
    ready: () => true,
    close: async () => {},
  }
  return { looks, detector, frames: { observe: () => void looks.analysed++ } }
}

export interface FakePrinter {
  readonly id: number
  /** How warm nozzle and bed are and should be, from the next report on. */
  heat(tool: readonly [number, number], bed: readonly [number, number]): void
  report(text: StateText, event?: string): Promise<void>
  /** Lets so many milliseconds pass in steps of ten seconds, with a report, and a picture where `score` says how bad it looks. */
  pass(ms: number, score?: number): Promise<void>
  tellError(text: string): Promise<void>
  /** The id of the print that was reported last. */
  printId(): Promise<number>
  close(): Promise<void>
}

const STEP_MS = 10_000
const PRINT_TS = 1_795_000_000

/** Connects a printer of `userId`, on which `filename` is printed. */
export async function openFakePrinter(
  server: TestServer,
  userId: number,
  filename: string,
  looks: { score: number; analysed: number },
): Promise<FakePrinter> {
  const { printer, auth_token } = await server.addPrinter(userId)
  const agent = await TestAgent.open(server.url, [AGENT_SUBPROTOCOL], {
    headers: { authorization: `Bearer ${auth_token}` },
  })
  let temperatures = {}
  let pictures = 0

  async function report(text: StateText, event_type?: string): Promise<void> {
    const file = { name: filename, path: filename, display: filename }
    const event = event_type === undefined ? {} : { event: { event_type, id: newEventId() } }
    agent.send(statusMessage(server.clock.now(), text, PRINT_TS, { ...event, status: { job: { file }, temperatures } }))
    await agent.settled()
  }

  async function post(path: string, body: FormData | URLSearchParams): Promise<void> {
    const headers = { authorization: `Token ${auth_token}` }
    const answer = await fetch(`${server.url}/api/v1/agent/${path}/`, { method: 'POST', headers, body })
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status} ${await answer.text()}`)
  }

  async function upload(): Promise<void> {
    pictures++
    const background = { r: (pictures * 37) % 256, g: 90, b: 200 }
    const bytes = await sharp({ create: { width: 1600, height: 1200, channels: 3, background } })
      .withExif({ IFD0: { Copyright: 'my address' } })
      .jpeg({ quality: 60 })
      .toBuffer()
    const form = new FormData()
    form.append('pic', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'pic.jpg')
    const { analysed } = looks
    await post('pic', form)
    await until(() => looks.analysed > analysed, 'the analysis of a picture')
  }

  return {
    id: printer.id,
    heat([tool, toolTarget], [bed, bedTarget]) {
      temperatures = { tool0: { actual: tool, target: toolTarget }, bed: { actual: bed, target: bedTarget } }
    },
    report,
    async pass(ms, score) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        server.clock.advance(STEP_MS)
        await report('Printing')
        if (score === undefined) continue
        looks.score = score
        await upload()
      }
    },
    tellError: (event_text) =>
      post(
        'printer_events',
        new URLSearchParams({
          event_type: 'PRINTER_ERROR',
          event_class: 'ERROR',
          event_title: 'Printer error',
          event_text,
        }),
      ),
    async printId() {
      const query = server.database.db.selectFrom('prints').select('id').where('printer_id', '=', printer.id)
      return (await query.orderBy('id', 'desc').executeTakeFirstOrThrow()).id
    },
    close: () => agent.kill(),
  }
}
