import { ApiError, createClient, type Printer } from '@printwarden/sdk'
import type { OAuth } from '@printwarden/sdk/oauth'
import { element } from './element.js'

/** Shows who is signed in, and their printers as they change. Ends by itself, with a reason, when they are signed out elsewhere. */
export async function showPrinters(
  baseUrl: string,
  oauth: OAuth,
  onEnd: (reason: string) => void,
): Promise<() => void> {
  const client = createClient({ baseUrl, token: oauth })
  const { email } = await client.getMe()
  element('who', HTMLElement).textContent = email
  const live = client.live({
    printers: 'all',
    onState: show,
    onChange: () => show([...live.printers.values()]),
    onRemoved: () => show([...live.printers.values()]),
    onStatus: (status) => {
      element('live', HTMLElement).textContent = status.state
      if (status.state === 'closed' && status.error !== undefined) onEnd(wordsOf(status.error))
    },
  })
  return () => live.close()
}

function show(printers: readonly Printer[]): void {
  const items = printers.map((printer) => {
    const item = document.createElement('li')
    // As text, never as HTML: names are what people typed.
    item.append(nameOf(printer), stateOf(printer))
    return item
  })
  element('printers', HTMLUListElement).replaceChildren(...items)
}

function nameOf({ name }: Printer): HTMLElement {
  const strong = document.createElement('strong')
  strong.textContent = name
  return strong
}

function stateOf({ status, current_print }: Printer): HTMLElement {
  const span = document.createElement('span')
  const { completion } = status?.progress ?? {}
  const state = status?.state.text ?? 'Offline'
  const done = current_print === null || !completion ? '' : `, ${Math.floor(completion)} %`
  span.textContent = `${state}${done}`
  return span
}

/** What to tell the user. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return 'You are signed out.'
  return error instanceof Error ? error.message : String(error)
}
