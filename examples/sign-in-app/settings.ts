/** The server, and what it knows this page as. */
export interface Settings {
  readonly baseUrl: string
  readonly clientId: string
}

// An app with one server of its own would write both into its code.
const KEY = 'settings'

export function loadSettings(): Settings | undefined {
  const { baseUrl, clientId } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings>
  return baseUrl === undefined || clientId === undefined ? undefined : { baseUrl, clientId }
}

export const saveSettings = (settings: Settings): void => localStorage.setItem(KEY, JSON.stringify(settings))
