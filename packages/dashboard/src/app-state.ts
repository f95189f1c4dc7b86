import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Client, User } from '@printwarden/sdk'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type AssistantState, openAssistantState } from './assistant/assistant-state.js'
import { type LiveState, openLiveState } from './live-state.js'
import { type Navigation, openNavigation } from './navigation.js'
import { type Notices, openNotices } from './notices.js'
import { type Session, tickingClock } from './session.js'
import { openThemeChoice, type ThemeChoice } from './theme.js'

/** Everything the pages share. */
export interface AppState {
  readonly client: Client
  readonly user: User
  readonly live: LiveState
  readonly navigation: Navigation
  readonly notices: Notices
  readonly theme: ThemeChoice
  readonly assistant: AssistantState
  /** The server's time in Unix seconds, each second. */
  readonly now: ReadonlySignal<number>
  /** Printers whose automatic pause was allowed again here. */
  readonly rearmed: Signal<ReadonlySet<number>>
}

/** Starts what the pages share: live updates, the clock, navigation. */
export function openAppState(client: Client, session: Session): AppState {
  const notices = openNotices()
  return {
    client,
    user: session.user,
    live: openLiveState(client, session.now),
    navigation: openNavigation(),
    notices,
    theme: openThemeChoice(),
    assistant: openAssistantState(client, notices, navigator.language),
    now: tickingClock(session.now),
    rearmed: signal<ReadonlySet<number>>(new Set()),
  }
}

const AppContext = createContext<AppState | undefined>(undefined)

export const AppProvider = AppContext.Provider

/** What the pages share, for a component below {@link AppProvider}. */
export function useApp(): AppState {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error('useApp is called outside of the app')
  return app
}
