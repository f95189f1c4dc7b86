import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type Client, type User } from '@printwarden/sdk'

/** Who is signed in, and the server's time. */
export interface Session {
  readonly user: User
  /** The server's time in Unix seconds, so that ages are right though the clock of this computer is not. */
  readonly now: () => number
}

/**
 * Asks who is signed in. Without a session it sends the reader to the sign-in form, and from there back here; the promise then never
 * resolves.
 *
 * @throws {NetworkError} when the server cannot be reached
 */
export async function openSession(client: Client): Promise<Session> {
  let offsetMs = 0
  const asked = Date.now()
  try {
    const user = await client.getMe({
      onResponse: ({ headers }) => {
        offsetMs = clockOffsetMs(headers.get('date'), asked, Date.now())
      },
    })
    return { user, now: () => (Date.now() + offsetMs) / 1000 }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return signIn()
    throw error
  }
}

/** Leaves for the sign-in form. */
export function signIn(): Promise<never> {
  const here = location.pathname + location.search
  location.assign(here === '/' ? '/login/' : `/login/?next=${encodeURIComponent(here)}`)
  return new Promise(() => undefined)
}

/**
 * How far the server's clock is ahead of ours, in milliseconds. The header has whole seconds and the way takes time, so less than two
 * seconds counts as none.
 */
export function clockOffsetMs(date: string | null, askedMs: number, answeredMs: number): number {
  const server = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(server)) return 0
  const offset = server + 500 - (askedMs + answeredMs) / 2
  return Math.abs(offset) < 2000 ? 0 : offset
}

/** The time as a signal that moves on each second. */
export function tickingClock(now: () => number): ReadonlySignal<number> {
  const time = signal(now())
  setInterval(() => {
    time.value = now()
  }, 1000)
  return time
}
