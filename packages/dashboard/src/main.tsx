import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/components.css'
import './styles/printers.css'
import './styles/printer.css'
import './styles/prints.css'
import './styles/film.css'
import './styles/detection.css'
import './styles/teaching.css'
import './styles/assistant.css'
import './styles/post-mortem.css'
import { createClient, NetworkError } from '@printwarden/sdk'
import { render } from 'preact'
import { App } from './app.js'
import { AppProvider, openAppState } from './app-state.js'
import { openSession } from './session.js'

const RETRY_MS = 3000

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the app')
await start(place)

async function start(root: HTMLElement): Promise<void> {
  const client = createClient()
  for (;;) {
    try {
      const session = await openSession(client)
      const app = openAppState(client, session)
      return render(
        <AppProvider value={app}>
          <App />
        </AppProvider>,
        root,
      )
    } catch (error) {
      render(<Unreachable isNetwork={error instanceof NetworkError} />, root)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function Unreachable({ isNetwork }: { isNetwork: boolean }) {
  return (
    <main class="lonely">
      <div role="alert">
        <h1>{isNetwork ? 'The server cannot be reached' : 'The server has a problem'}</h1>
        <p>Trying again every few seconds.</p>
      </div>
    </main>
  )
}
