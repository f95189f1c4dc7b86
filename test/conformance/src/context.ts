import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ConformanceTarget, PrintEventType, StateText, StatusMessage } from '#protocol'
import { AgentClient, type AgentOptions } from './agent-client.js'
import { expectBody, expectTrue, show } from './expect.js'
import { unusedName, uploadForm } from './g-code.js'
import { HttpClient } from './http.js'
import { LiveClient } from './live-client.js'
import { type MessageParts, statusMessage } from './messages.js'
import { ContractChat, ContractFile, ContractFolder, ContractPrint, ContractPrinter } from './shapes.js'
import type { RisingClock } from './rising-clock.js'
import type { PrinterToken } from './target.js'

const POLL_INTERVAL_MS = 20

/** How long removing what a case made may take. */
const CLEANING_MS = 10_000

const FILES = '/api/v1/g_code_files/'
const FOLDERS = '/api/v1/g_code_folders/'
const CHATS = '/assistant/api/chats/'

/** What the cases of one run have in common. */
export interface RunState {
  readonly target: ConformanceTarget
  readonly clock: RisingClock
  /** Disposable printers, in the order in which the next cases get them. */
  readonly printers: PrinterToken[]
}

/** An agent that is connected, and its printer. */
export interface Connected {
  readonly printer: PrinterToken
  readonly agent: AgentClient
}

/** An agent whose printer prints. */
export interface Printing extends Connected {
  readonly printTs: number
  readonly printId: number
}

/** What a case works with. It lives as long as the case, and closes the sockets that the case opened. */
export class Context {
  readonly target: ConformanceTarget
  /** Aborted when the case's time is over. */
  readonly signal: AbortSignal
  /** Without any credential. */
  readonly anonymous: HttpClient
  /** As the owner, with both scopes. */
  readonly owner: HttpClient
  readonly #run: RunState
  readonly #open: { close(): Promise<void> }[] = []
  /** Paths of what the case made and nobody needs afterwards. */
  readonly #made: string[] = []

  constructor(run: RunState, signal: AbortSignal) {
    this.#run = run
    this.target = run.target
    this.signal = signal
    this.anonymous = new HttpClient(run.target.base_url, signal)
    this.owner = this.anonymous.as(run.target.tokens.read_write)
  }

  /** A disposable printer that prints nothing and has no agent. Each call gives another one, as long as there are some. */
  async idlePrinter(): Promise<PrinterToken> {
    const { printers } = this.#run
    for (let tries = 2 * printers.length; tries > 0; tries -= 1) {
      const printer = printers.shift()
      if (printer === undefined) break
      const answer = await this.owner.get(`/api/v1/printers/${printer.id}/`)
      if (answer.status === 404) continue
      printers.push(printer)
      if (expectBody(answer, ContractPrinter).current_print === null) return printer
      // Left over from an earlier case. It gets its turn later, when the server has noticed that this agent is gone again.
      await this.#endPrint(printer)
    }
    throw new Error('no disposable printer is left: make a new target')
  }

  /** An open agent's socket. */
  async openAgent(authToken: string | undefined, options: Omit<AgentOptions, 'signal'> = {}): Promise<AgentClient> {
    return this.#keep(await AgentClient.open(this.target.agent_ws_url, authToken, { ...options, signal: this.signal }))
  }

  async openLive(access: { token?: string; ticket?: string }): Promise<LiveClient> {
    return this.#keep(await LiveClient.open(this.target.base_url, { ...access, signal: this.signal }))
  }

  /** An idle printer whose agent is connected and has said nothing yet. */
  async connect(): Promise<Connected> {
    const printer = await this.idlePrinter()
    return { printer, agent: await this.openAgent(printer.auth_token) }
  }

  /** A printer whose agent has reported the start of a print. */
  async startPrint(parts: Partial<MessageParts> = {}): Promise<Printing> {
    const { printer, agent } = await this.connect()
    const printTs = this.now()
    agent.send(this.message('Printing', { printTs, event: { event_type: 'PrintStarted' }, ...parts }))
    const { current_print } = await this.printerWhen(printer, 'current_print is set', (it) => it.current_print !== null)
    expectTrue(current_print !== null, 'current_print is null')
    return { printer, agent, printTs, printId: current_print.id }
  }

  /** Reports how the print went on, and waits until the server shows that status. */
  async report(printing: Printing, text: StateText, event: PrintEventType): Promise<ContractPrinter> {
    return this.applied(printing, this.message(text, { printTs: printing.printTs, event: { event_type: event } }))
  }

  /** A message with the present time in `_ts`. */
  message(text: StateText, parts: Partial<MessageParts> = {}): StatusMessage {
    return statusMessage({ ts: this.now(), text, ...parts })
  }

  /** Unix seconds, later than every time it gave before. */
  now(): number {
    return this.#run.clock.next()
  }

  /**
   * Sends a message and waits until the server has dealt with all of it: messages of one socket are applied one after another, so
   * it has when a later one is shown.
   */
  async applied({ printer, agent }: Connected, message: StatusMessage): Promise<ContractPrinter> {
    agent.send(message)
    const { event: _told, ...rest } = message
    const later = { ...rest, status: { ...rest.status, _ts: this.now() } }
    agent.send(later)
    return this.shown(printer, later)
  }

  /** Waits until the printer shows the status of this message. */
  shown(printer: PrinterToken, { status }: StatusMessage): Promise<ContractPrinter> {
    const what = `the status of ${status._ts} (${status.state.text}) is shown`
    return this.printerWhen(printer, what, (it) => it.status?.['_ts'] === status._ts)
  }

  /** Waits until the printer is as it should be. */
  printerWhen(
    { id }: PrinterToken,
    what: string,
    isSo: (printer: ContractPrinter) => boolean,
  ): Promise<ContractPrinter> {
    return this.until(what, isSo, async () =>
      expectBody(await this.owner.get(`/api/v1/printers/${id}/`), ContractPrinter),
    )
  }

  /** Waits until the print is as it should be. */
  printWhen(printId: number, what: string, isSo: (print: ContractPrint) => boolean): Promise<ContractPrint> {
    return this.until(what, isSo, async () =>
      expectBody(await this.owner.get(`/api/v1/prints/${printId}/`), ContractPrint),
    )
  }

  /** Looks again until `isSo` holds for what is seen. A rule that is not kept shows as the last thing seen. */
  async until<T>(what: string, isSo: (seen: T) => boolean, look: () => Promise<T>): Promise<T> {
    let last: T | undefined
    for (;;) {
      if (this.signal.aborted) throw new Error(`${what}: not in time; last seen: ${show(last)}`)
      last = await look().catch((err: unknown) => {
        if (this.signal.aborted) return last
        throw err
      })
      if (last !== undefined && isSo(last)) return last
      await sleep(POLL_INTERVAL_MS)
    }
  }

  /** Uploads a G-code file, which is deleted after the case. */
  async newFile(filename = unusedName('part.gcode'), content?: string, fields = {}): Promise<ContractFile> {
    const answer = await this.owner.send('POST', FILES, { body: uploadForm(filename, content, fields) })
    return this.made(FILES, expectBody(answer, ContractFile, 201))
  }

  /** Creates a folder, which is deleted after the case. */
  async newFolder(name = unusedName('folder'), parent_folder: number | null = null): Promise<ContractFolder> {
    const answer = await this.owner.post(FOLDERS, { name, parent_folder })
    return this.made(FOLDERS, expectBody(answer, ContractFolder, 201))
  }

  /** Keeps a chat, which is deleted after the case. */
  async newChat(messages = '[]', fields = {}): Promise<ContractChat> {
    return this.made(CHATS, expectBody(await this.owner.post(CHATS, { messages, ...fields }), ContractChat, 201))
  }

  /**
   * Looks at two views of one thing until they are equal. What goes on in the background, such as a video that is made or an agent
   * that is found to be gone, may fall between the two.
   */
  async untilEqual(what: string, look: () => Promise<readonly [unknown, unknown]>): Promise<void> {
    await this.until(`${what} are equal`, ([one, other]) => isDeepStrictEqual(one, other), look)
  }

  /** Remembers something that the case made, so that the target is left as it was. */
  made<T extends { id: number }>(list: string, resource: T): T {
    this.#made.push(`${list}${resource.id}/`)
    return resource
  }

  /** Makes a print that has ended with this event. */
  async endedPrint(event: PrintEventType, parts: Partial<MessageParts> = {}): Promise<Printing> {
    const printing = await this.startPrint(parts)
    await this.report(printing, 'Operational', event)
    await this.printerWhen(printing.printer, 'the print has ended', ({ current_print }) => current_print === null)
    await printing.agent.close()
    return printing
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((socket) => socket.close()))
    const { base_url, tokens } = this.target
    const cleaner = new HttpClient(base_url, AbortSignal.timeout(CLEANING_MS)).as(tokens.read_write)
    // What is gone already, or cannot be removed, is no failure of the rule that was tried.
    for (const path of this.#made.toReversed()) await cleaner.delete(path).catch(() => undefined)
  }

  #keep<T extends { close(): Promise<void> }>(socket: T): T {
    this.#open.push(socket)
    return socket
  }

  /** An earlier case left a print open: a new one takes its place and is done at once. */
  async #endPrint(printer: PrinterToken): Promise<void> {
    const agent = await this.openAgent(printer.auth_token)
    const printTs = this.now()
    agent.send(this.message('Printing', { printTs, event: { event_type: 'PrintStarted' } }))
    agent.send(this.message('Operational', { printTs, event: { event_type: 'PrintDone' } }))
    await this.printerWhen(printer, 'the print has ended', ({ current_print }) => current_print === null)
    await agent.close()
  }
}
