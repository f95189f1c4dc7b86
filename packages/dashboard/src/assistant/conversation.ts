import { type ReadonlySignal, signal } from '@preact/signals'
import { type AssistantLook, type AssistantMessage, type Client, NetworkError } from '@printwarden/sdk'
import { answerTurn, isOurs, keptTurns, readTurns, sentTurns, stoppedTurn, type Turn } from './turns.js'

/** An answer that is being made. */
export interface Coming {
  readonly text: string
  readonly looks: readonly AssistantLook[]
}

/** One conversation of this tab. It goes on while its reader is on another page. */
export interface Conversation {
  /** Under which number it is kept; undefined before its first answer. */
  readonly id: ReadonlySignal<number | undefined>
  readonly turns: ReadonlySignal<readonly Turn[]>
  /** Whether it can go on here: a slicer's chat cannot. */
  readonly canGoOn: ReadonlySignal<boolean>
  readonly isLoading: ReadonlySignal<boolean>
  readonly coming: ReadonlySignal<Coming | undefined>
  /** Why the last question has no answer, or why the conversation could not be loaded. */
  readonly problem: ReadonlySignal<unknown>
  /** Asks; a question before that was not answered is dropped. False when it cannot be asked now, as while an answer is coming. */
  ask(question: string): boolean
  /** Asks the last question again. */
  askAgain(): void
  /** Stops the answer that is coming; what has come of it is kept. */
  stop(): void
  /** Reads what is kept. */
  load(): void
  /** Stops, and keeps nothing any more: it is to be deleted. */
  drop(): void
}

/** What a conversation tells of itself. */
export interface ConversationDeps {
  readonly client: Client
  /** The reader's language, as an IETF tag. */
  readonly lang: string
  /** Told of each whole answer. */
  readonly onAnswer: (message: AssistantMessage) => void
  /** Told when it was kept, or could not be. */
  readonly onKept: (conversation: Conversation, error?: unknown) => void
  /** Told when credits may have changed. */
  readonly onSpent: () => void
}

/** A conversation that is kept under a number, or a new one. */
export function openConversation(keptAs: number | undefined, deps: ConversationDeps): Conversation {
  const { client, lang } = deps
  const id = signal(keptAs)
  const turns = signal<readonly Turn[]>([])
  const canGoOn = signal(true)
  const isLoading = signal(false)
  const coming = signal<Coming | undefined>(undefined)
  const problem = signal<unknown>(undefined)
  let asking: AbortController | undefined
  /** What the server was seen to keep, as it keeps it, and how many of the turns are in there. */
  let seen: { readonly messages: string | undefined; readonly count: number } = { messages: undefined, count: 0 }
  let isDropped = false

  async function answer(signalOfStop: AbortSignal): Promise<Turn | undefined> {
    const merge = (changes: (before: Coming) => Partial<Coming>): void => {
      const before = coming.value
      if (before !== undefined) coming.value = { ...before, ...changes(before) }
    }
    try {
      // Never a second time by itself: each costs.
      const options = { signal: signalOfStop, retry: false } as const
      for await (const event of client.askAssistant({ messages: sentTurns(turns.value), lang }, options)) {
        if (event.type === 'look') merge(({ looks }) => ({ looks: [...looks, event.look] }))
        else if (event.type === 'delta') merge(({ text }) => ({ text: text + event.text }))
        else {
          deps.onAnswer(event.message)
          return answerTurn(event.message)
        }
      }
      throw new NetworkError('the answer broke off')
    } catch (error) {
      const { text, looks } = coming.value ?? { text: '', looks: [] }
      if (signalOfStop.aborted) return text === '' ? undefined : stoppedTurn(text, looks)
      throw error
    }
  }

  async function run(): Promise<void> {
    const stopper = new AbortController()
    asking = stopper
    problem.value = undefined
    coming.value = { text: '', looks: [] }
    try {
      const turn = await answer(stopper.signal)
      coming.value = undefined
      if (turn === undefined) return
      turns.value = [...turns.value, turn]
      await keep()
    } catch (error) {
      problem.value = error
    } finally {
      coming.value = undefined
      asking = undefined
      deps.onSpent()
    }
  }

  async function keep(): Promise<void> {
    if (isDropped) return
    try {
      if (id.value !== undefined) await takeOver(id.value)
      const messages = keptTurns(turns.value)
      const count = turns.value.length
      if (id.value === undefined) id.value = (await client.createChat({ messages })).id
      else await client.updateChat({ id: id.value, messages })
      seen = { messages, count }
      if (!isDropped) deps.onKept(conversation)
    } catch (error) {
      if (!isDropped) deps.onKept(conversation, error)
    }
  }

  /** Puts what another tab has kept meanwhile before what was said here, instead of overwriting it. */
  async function takeOver(kept: number): Promise<void> {
    const { messages } = await client.getChat({ id: kept })
    const theirs = messages === seen.messages ? undefined : readTurns({ messages })
    if (theirs !== undefined) turns.value = [...theirs, ...turns.value.slice(seen.count)]
  }

  async function load(kept: number): Promise<void> {
    isLoading.value = true
    try {
      const chat = await client.getChat({ id: kept })
      // What was asked meanwhile is newer.
      if (asking !== undefined) return
      turns.value = readTurns(chat) ?? []
      seen = { messages: chat.messages, count: turns.value.length }
      canGoOn.value = isOurs(chat)
      problem.value = undefined
    } catch (error) {
      if (asking === undefined) problem.value = error
    } finally {
      isLoading.value = false
    }
  }

  const conversation: Conversation = {
    ...{ id, turns, canGoOn, isLoading, coming, problem },
    ask(question) {
      if (asking !== undefined || !canGoOn.value) return false
      const before = turns.value.at(-1)?.role === 'user' ? turns.value.slice(0, -1) : turns.value
      turns.value = [...before, { role: 'user', content: question }]
      seen = { ...seen, count: Math.min(seen.count, before.length) }
      void run()
      return true
    },
    askAgain() {
      if (asking === undefined && turns.value.at(-1)?.role === 'user') void run()
    },
    stop: () => asking?.abort(new Error('the reader has stopped it')),
    load() {
      if (id.value !== undefined && asking === undefined) void load(id.value)
    },
    drop() {
      isDropped = true
      conversation.stop()
    },
  }
  return conversation
}
