import type { Part, TransferProgress } from './multipart.js'

/** A multipart request on its way. */
export interface Upload {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: RequestCredentials
  readonly parts: readonly Part[]
  readonly signal: AbortSignal
  /** The client's own `fetch`; undefined when it is the platform's. */
  readonly fetch: ((request: Request) => Promise<Response>) | undefined
  readonly onProgress: (progress: TransferProgress) => void
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** How a platform sends a multipart body and tells how far it is. */
export interface UploadPlatform {
  /** Rejects when no answer came. */
  send(upload: Upload): Promise<Answer>
}

/** Reads an answer to its end. */
export async function readWhole(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() }
}
