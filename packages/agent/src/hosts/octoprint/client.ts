import { createReadStream } from 'node:fs'
import type { FileOrigin, PrinterFile } from '@printwarden/protocol'
import { create, type AxiosRequestConfig } from 'axios'
import FormData from 'form-data'
import { z } from 'zod'
import { reasonOf } from '../../uplink/connection-reason.js'
import { HostError, type GCodeFile } from '../../host.js'
import { filesOf } from './files.js'

/** OctoPrint's REST interface, as far as the agent uses it. Every call throws {@link HostError}. */
export interface OctoPrintClient {
  /** Opens a session for the push socket; the answer is what it wants as `auth`. */
  login(): Promise<string>
  job(command: { command: 'pause'; action: 'pause' | 'resume' } | { command: 'cancel' }): Promise<void>
  sendGCode(commands: readonly string[]): Promise<void>
  /** Lets OctoPrint connect to its printer, by the settings that it has for that. */
  connect(): Promise<void>
  /** Uploads, selects and starts a file. Answers its path, which OctoPrint makes from the name. */
  print(file: GCodeFile): Promise<string>
  /** The question that the printer asks now; an empty object when there is none. */
  prompt(): Promise<Record<string, unknown>>
  answerPrompt(choice: number): Promise<void>
  /** All files of G-code, OctoPrint's own and those on the printer's card. */
  listFiles(): Promise<PrinterFile[]>
  /** Selects and starts one of them. */
  printOwn(path: string, origin: FileOrigin): Promise<void>
  /** What OctoPrint knows about a file; undefined when it has none such. */
  findFile(origin: string, path: string): Promise<unknown>
  /** The first `bytes` of a local file. */
  readFileStart(path: string, bytes: number): Promise<string>
  temperatureProfiles(): Promise<Record<string, unknown>[]>
}

const PROMPT_PATH = '/api/plugin/action_command_prompt'
const TIMEOUT_MS = 10_000
const UPLOAD_TIMEOUT_MS = 30 * 60_000
/** The largest answer is the settings, some 100 kB with many plugins. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

const Login = z.object({ name: z.string(), session: z.string() })
const Uploaded = z.object({ files: z.object({ local: z.object({ path: z.string() }) }) })
const Settings = z.object({
  temperature: z.object({ profiles: z.array(z.record(z.string(), z.unknown())).default([]) }).optional(),
})

export function openOctoPrintClient(url: string, apiKey: string): OctoPrintClient {
  const http = create({
    baseURL: url,
    headers: { 'X-Api-Key': apiKey },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    // A proxy of the environment is for the outside; the host is in the house.
    proxy: false,
    validateStatus: () => true,
  })

  async function call(request: AxiosRequestConfig): Promise<{ status: number; data: unknown }> {
    const response = await http.request<unknown>(request).catch((error: unknown) => {
      throw connectionError(url, error)
    })
    if (response.status === 401 || response.status === 403) {
      throw new HostError('unauthorized', `OctoPrint at ${url} (it refuses the API key)`)
    }
    return { status: response.status, data: response.data }
  }

  async function post(path: string, data: unknown): Promise<unknown> {
    const answer = await call({ method: 'POST', url: path, data })
    if (answer.status >= 200 && answer.status < 300) return answer.data
    const code = answer.status === 409 ? 'not_printing' : 'rejected'
    throw new HostError(code, errorText(answer.data) ?? `OctoPrint answered ${answer.status} to ${path}`)
  }

  return {
    login: async () => {
      const { name, session } = parseAnswer(Login, await post('/api/login', { passive: true }), '/api/login')
      return `${name}:${session}`
    },
    job: async (command) => {
      await post('/api/job', command)
    },
    sendGCode: async (commands) => {
      if (commands.length > 0) await post('/api/printer/command', { commands })
    },
    connect: async () => {
      await post('/api/connection', { command: 'connect' })
    },
    print: async ({ path, name }) => {
      const form = new FormData()
      form.append('file', createReadStream(path), { filename: name })
      form.append('select', 'true')
      form.append('print', 'true')
      const answer = await call({
        method: 'POST',
        url: '/api/files/local',
        data: form,
        headers: form.getHeaders(),
        timeout: UPLOAD_TIMEOUT_MS,
        maxBodyLength: Number.POSITIVE_INFINITY,
        maxRedirects: 0,
      })
      if (answer.status !== 201) {
        throw new HostError('rejected', errorText(answer.data) ?? `OctoPrint answered ${answer.status} to the upload`)
      }
      return Uploaded.safeParse(answer.data).data?.files.local.path ?? name
    },
    prompt: async () => {
      const answer = await call({ url: PROMPT_PATH })
      return z.record(z.string(), z.unknown()).safeParse(answer.data).data ?? {}
    },
    answerPrompt: async (choice) => {
      await post(PROMPT_PATH, { command: 'select', choice })
    },
    listFiles: async () => {
      const answer = await call({ url: '/api/files?recursive=true' })
      return filesOf(parseAnswer(z.object({ files: z.unknown() }), answer.data, '/api/files').files)
    },
    printOwn: async (path, origin) => {
      await post(`/api/files/${origin}/${encodePath(path)}`, { command: 'select', print: true })
    },
    findFile: async (origin, path) => {
      const answer = await call({ url: `/api/files/${encodeURIComponent(origin)}/${encodePath(path)}` })
      return answer.status === 200 ? answer.data : undefined
    },
    readFileStart: async (path, bytes) => {
      const answer = await call({
        url: `/downloads/files/local/${encodePath(path)}`,
        headers: { Range: `bytes=0-${bytes - 1}` },
        responseType: 'text',
        // The text may look like JSON to no one, but axios would try.
        transformResponse: (data: unknown) => data,
      })
      const isText = (answer.status === 200 || answer.status === 206) && typeof answer.data === 'string'
      return isText ? String(answer.data).slice(0, bytes) : ''
    },
    temperatureProfiles: async () => {
      const answer = await call({ url: '/api/settings' })
      return Settings.safeParse(answer.data).data?.temperature?.profiles ?? []
    },
  }
}

function parseAnswer<T>(schema: z.ZodType<T>, data: unknown, path: string): T {
  const parsed = schema.safeParse(data)
  if (!parsed.success)
    throw new HostError('rejected', `the answer to ${path} is not OctoPrint's`, { cause: parsed.error })
  return parsed.data
}

function errorText(data: unknown): string | undefined {
  return z.object({ error: z.string() }).safeParse(data).data?.error
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function connectionError(url: string, error: unknown): HostError {
  return new HostError('unreachable', `OctoPrint at ${url} (${reasonOf(error)})`, { cause: error })
}
