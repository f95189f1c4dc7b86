// A single-page app of another origin that signs in with Printwarden and shows the user's printers live.
//
//   npx vite examples/sign-in-app      and open http://127.0.0.1:5173/
//
// Step by step: docs/oauth.md.
import { createOAuth, type OAuth, OAuthError, webStorage } from '@printwarden/sdk/oauth'
import { element } from './element.js'
import { showPrinters, wordsOf } from './printers.js'
import { loadSettings, saveSettings, type Settings } from './settings.js'

/** Where the server sends the browser back to: this page itself. */
const redirectUri = location.origin + location.pathname

const oauthOf = ({ baseUrl, clientId }: Settings): OAuth =>
  createOAuth({ baseUrl, clientId, redirectUri, storage: webStorage(localStorage) })

async function start(settings: Settings | undefined): Promise<void> {
  if (settings === undefined) return showForm()
  const oauth = oauthOf(settings)
  let problem = ''
  if (oauth.isCallback(location.href)) {
    const answer = location.href
    // Out of the address before anything else: loading the page again must not send the same code twice.
    history.replaceState(null, '', redirectUri)
    await oauth.handleCallback(answer).catch((error: unknown) => {
      problem = error instanceof OAuthError && error.code === 'access_denied' ? 'You said no.' : wordsOf(error)
    })
  }
  if ((await oauth.tokens()) === undefined) showForm(settings, problem)
  else await showSignedIn(settings, oauth)
}

function showForm(settings?: Settings, problem = ''): void {
  say(problem)
  element('signed-in', HTMLElement).hidden = true
  element('sign-in', HTMLFormElement).hidden = false
  element('base-url', HTMLInputElement).value = settings?.baseUrl ?? ''
  element('client-id', HTMLInputElement).value = settings?.clientId ?? ''
}

async function showSignedIn(settings: Settings, oauth: OAuth): Promise<void> {
  say('')
  element('sign-in', HTMLFormElement).hidden = true
  element('signed-in', HTMLElement).hidden = false
  let stop = (): void => undefined
  const leave = (problem: string): void => {
    stop()
    showForm(settings, problem)
  }
  element('sign-out', HTMLButtonElement).addEventListener('click', () => {
    void oauth.signOut().then(
      () => leave('You are signed out.'),
      (error: unknown) => leave(`You are signed out here, but the server could not be told: ${wordsOf(error)}`),
    )
  })
  try {
    stop = await showPrinters(settings.baseUrl, oauth, leave)
  } catch (error) {
    // Without a network the user is still signed in.
    if ((await oauth.tokens()) === undefined) leave(wordsOf(error))
    else say(wordsOf(error))
  }
}

const say = (text: string): void => {
  element('said', HTMLElement).textContent = text
}

async function signIn(settings: Settings): Promise<void> {
  saveSettings(settings)
  location.assign(await oauthOf(settings).authorizeUrl())
}

element('redirect-uri', HTMLElement).textContent = redirectUri
element('sign-in', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  const baseUrl = element('base-url', HTMLInputElement).value
  const clientId = element('client-id', HTMLInputElement).value.trim()
  signIn({ baseUrl, clientId }).catch((error: unknown) => say(wordsOf(error)))
})
void start(loadSettings())
