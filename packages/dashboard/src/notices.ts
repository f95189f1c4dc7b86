import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, NetworkError } from '@printwarden/sdk'

/** A short message at the edge of the page. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'neutral' | 'bad'
}

/** Short messages that go away by themselves. */
export interface Notices {
  readonly list: ReadonlySignal<readonly Notice[]>
  say(text: string): void
  /** Says what went wrong, in words for people. */
  complain(what: string, error: unknown): void
  dismiss(id: number): void
}

const SHOWN_MS = 8000

/** An empty list of messages. */
export function openNotices(): Notices {
  const list = signal<readonly Notice[]>([])
  let count = 0

  function dismiss(id: number): void {
    list.value = list.value.filter((notice) => notice.id !== id)
  }

  function add(text: string, tone: Notice['tone']): void {
    const id = ++count
    list.value = [...list.value.slice(-2), { id, text, tone }]
    setTimeout(() => dismiss(id), SHOWN_MS)
  }

  return {
    list,
    say: (text) => add(text, 'neutral'),
    complain: (what, error) => add(`${what}: ${reasonOf(error)}`, 'bad'),
    dismiss,
  }
}

/** Why something failed, in words for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) return 'the server cannot be reached.'
  if (error instanceof ApiError) {
    const [issue] = error.issues
    return issue === undefined ? error.detail : `${issue.path} ${issue.message}`
  }
  return 'something went wrong in this page.'
}
