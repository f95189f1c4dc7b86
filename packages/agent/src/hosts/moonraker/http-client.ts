import { createReadStream } from 'node:fs'
import { create, type AxiosRequestConfig } from 'axios'
import FormData from 'form-data'
import { z } from 'zod'
import type { Clock } from '../../time/clock.js'
import { reasonOf } from '../../uplink/connection-reason.js'
import { HostError, type GCodeFile } from '../../host.js'
import { unauthorized } from './rpc-client.js'

/** Moonraker's HTTP interface, for what the websocket does not do. Every call throws {@link HostError}. */
export interface MoonrakerHttp {
  /** A token that opens one websocket within five seconds, so that the key itself is in no address. */
  oneShotToken(): Promise<string>
  /** Stores a file, without printing it. Answers its path. */
  upload(file: GCodeFile, onProgress: (part: number) => void): Promise<string>
}

const TIMEOUT_MS = 10_000
/** An upload may take long, but it goes on; then Moonraker reads the whole file before it answers. */
const STALL_MS = 5 * 60_000
const MAX_ANSWER_BYTES = 1024 * 1024

const Result = z.object({ result: z.unknown() })
const Uploaded = z.object({ item: z.object({ path: z.string() }) })
const Failure = z.object({ error: z.object({ message: z.string() }) })

export function openMoonrakerHttp(url: string, apiKey: string | undefined, clock: Clock): MoonrakerHttp {
  const http = create({
    baseURL: url,
    headers: apiKey === undefined ? {} : { 'X-Api-Key': apiKey },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    // A proxy of the environment is for the outside; the host is in the house.
    proxy: false,
    validateStatus: () => true,
  })

  async function call(request: AxiosRequestConfig): Promise<unknown> {
    const response = await http.request<unknown>(request).catch((error: unknown) => {
      throw new HostError('unreachable', `Moonraker at ${url} (${reasonOf(error)})`, { cause: error })
    })
    if (response.status === 401 || response.status === 403) throw unauthorized(url)
    if (response.status >= 200 && response.status < 300) return response.data
    const why = Failure.safeParse(response.data).data?.error.message
    throw new HostError('rejected', why ?? `Moonraker answered ${response.status} to ${request.url}`)
  }

  const resultOf = (data: unknown) => Result.safeParse(data).data?.result

  return {
    oneShotToken: async () => {
      const token = z.string().safeParse(resultOf(await call({ url: '/access/oneshot_token' }))).data
      if (token === undefined) throw new HostError('unreachable', `Moonraker at ${url} (something else answers there)`)
      return token
    },
    upload: async ({ path, name }, onProgress) => {
      const form = new FormData()
      form.append('root', 'gcodes')
      form.append('file', createReadStream(path), { filename: name })
      const stalled = new AbortController()
      const wait = () => clock.after(STALL_MS, () => stalled.abort())
      let stopTimer = wait()
      try {
        const answer = await call({
          method: 'POST',
          url: '/server/files/upload',
          data: form,
          headers: form.getHeaders(),
          timeout: 0,
          signal: stalled.signal,
          maxBodyLength: Number.POSITIVE_INFINITY,
          onUploadProgress: ({ loaded, total }) => {
            stopTimer()
            stopTimer = wait()
            if (total) onProgress(loaded / total)
          },
        })
        return Uploaded.safeParse(answer).data?.item.path ?? name
      } finally {
        stopTimer()
      }
    },
  }
}
