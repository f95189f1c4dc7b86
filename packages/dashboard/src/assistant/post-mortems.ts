import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiError, type AssistantLook, type Client, NetworkError, type PostMortem } from '@printwarden/sdk'

/** What is known of why one print failed. A question goes on while its reader is on another page. */
export interface PostMortemState {
  /** The answer that is kept; null when it was never asked, undefined while that is not known. */
  readonly kept: ReadonlySignal<PostMortem | null | undefined>
  /** What was read so far for the answer that is being made; undefined while none is. */
  readonly looks: ReadonlySignal<readonly AssistantLook[] | undefined>
  /** Why there is no answer. */
  readonly problem: ReadonlySignal<unknown>
  load(): void
  ask(): void
  stop(): void
}

/** What post-mortems need. */
export interface PostMortemDeps {
  readonly client: Client
  /** The reader's language, as an IETF tag. */
  readonly lang: string
  /** Told when credits may have changed. */
  readonly onSpent: () => void
}

/** The post-mortems of prints, each opened once. */
export function openPostMortems(deps: PostMortemDeps): (printId: number) => PostMortemState {
  const known = new Map<number, PostMortemState>()
  return (printId) => {
    const state = known.get(printId) ?? openPostMortem(printId, deps)
    known.set(printId, state)
    return state
  }
}

function openPostMortem(id: number, { client, lang, onSpent }: PostMortemDeps): PostMortemState {
  const kept = signal<PostMortem | null | undefined>(undefined)
  const looks = signal<readonly AssistantLook[] | undefined>(undefined)
  const problem = signal<unknown>(undefined)
  let asking: AbortController | undefined

  async function answer(stop: AbortSignal): Promise<PostMortem> {
    // Never a second time by itself: each costs.
    for await (const event of client.askPostMortem({ id, lang }, { signal: stop, retry: false })) {
      if (event.type === 'message') return event.postMortem
      looks.value = [...(looks.value ?? []), event.look]
    }
    throw new NetworkError('the answer broke off')
  }

  async function run(): Promise<void> {
    const stopper = new AbortController()
    asking = stopper
    problem.value = undefined
    looks.value = []
    try {
      kept.value = await answer(stopper.signal)
    } catch (error) {
      if (!stopper.signal.aborted) problem.value = error
    } finally {
      asking = undefined
      looks.value = undefined
      onSpent()
    }
  }

  return {
    ...{ kept, looks, problem },
    load() {
      client.getPostMortem({ id }).then(
        (found) => {
          kept.value = found
        },
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'not_found') kept.value = null
          else problem.value = error
        },
      )
    },
    ask() {
      if (asking === undefined) void run()
    },
    stop: () => asking?.abort(new Error('the reader has stopped it')),
  }
}
