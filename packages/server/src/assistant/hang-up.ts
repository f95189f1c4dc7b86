import type { ServerResponse } from 'node:http'

/** Aborts when the client is gone before it has all of the answer. */
export function hangUpSignal(response: ServerResponse): AbortSignal {
  const hungUp = new AbortController()
  const notice = (): void => {
    if (!response.writableFinished) hungUp.abort(new Error('the client hung up'))
  }
  if (response.destroyed) notice()
  else response.once('close', notice)
  return hungUp.signal
}
