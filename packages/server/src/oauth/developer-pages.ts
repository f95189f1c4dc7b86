import type { OAuthApp } from '@printwarden/protocol'
import { escapeHtml } from '../users/pages.js'
import type { AppForm } from './forms.js'
import {
  accountPage,
  actionForm,
  dayHtml,
  hidden,
  lastUseText,
  problemsHtml,
  saidHtml,
  secretHtml,
} from '../users/page-parts.js'

// Where developers register their apps, and administrators look after all of them.

const HERE = '/developer/apps/'

const peopleText = (count: number): string =>
  count === 0 ? 'nobody is connected' : `${count === 1 ? 'one person is' : `${count} people are`} connected`

const at = (text: string | null): number | null => (text === null ? null : Date.parse(text))

export function appsPage(
  apps: readonly OAuthApp[],
  { now, isAdmin, said }: { readonly now: number; readonly isAdmin: boolean; readonly said?: string | undefined },
): string {
  const items = apps.map((app) => {
    const owner = isAdmin ? ` · ${app.owner === null ? 'by the operator' : `by ${escapeHtml(app.owner)}`}` : ''
    return `<li class="item">
<div><h2><a href="${HERE}${app.id}/">${escapeHtml(app.name)}</a></h2>
<p class="facts">${app.type}${owner} · ${peopleText(app.user_count)} · ${lastUseText(at(app.last_used_at), now)}</p></div>
</li>`
  })
  return accountPage(
    isAdmin ? 'Every app' : 'Your apps',
    HERE,
    `${saidHtml(said)}<p>An app signs its users in here by OAuth 2.0 and calls the <a href="/docs">API</a> for them. Any user of this server can then connect to it.</p>
<p><a class="button" href="${HERE}new/">Register an app</a></p>
${items.length === 0 ? '<p class="empty">No app is registered.</p>' : `<ul class="items">\n${items.join('\n')}\n</ul>`}`,
  )
}

/** Fields of the form, and what is wrong with which. */
export interface AppFormState {
  readonly form: AppForm
  readonly formToken: string
  readonly problems: readonly { readonly field: string; readonly text: string }[]
}

export function newAppPage(state: AppFormState): string {
  return accountPage(
    'Register an app',
    HERE,
    `${problemsHtml(state.problems.map(({ text }) => text))}<form method="post" action="${HERE}new/" class="panel">
${fieldsHtml(state)}
<fieldset><legend>Type</legend>
${typeHtml(state, 'confidential', 'Confidential', 'runs on a server of yours and can keep a secret')}
${typeHtml(state, 'public', 'Public', 'runs with its user: a mobile, desktop or single-page app; must use PKCE')}
</fieldset>
<button>Register</button>
</form>`,
  )
}

function typeHtml({ form }: AppFormState, value: 'confidential' | 'public', name: string, text: string): string {
  const checked = form.type === value ? ' checked' : ''
  return `<label class="choice"><input type="radio" name="type" value="${value}"${checked} required><span><strong>${name}</strong> ${text}</span></label>`
}

export function appPage(
  app: OAuthApp,
  state: AppFormState,
  {
    now,
    secret,
    said,
  }: { readonly now: number; readonly secret?: string | undefined; readonly said?: string | undefined },
): string {
  const path = `${HERE}${app.id}/`
  const action = (name: string, text: string, look: 'quiet' | 'danger' = 'quiet'): string =>
    actionForm(`${path}${name}/`, state.formToken, text, { look })
  return accountPage(
    app.name,
    HERE,
    `${saidHtml(said)}${secret === undefined ? '' : `${secretHtml('The client secret.', secret)}\n`}${problemsHtml(state.problems.map(({ text }) => text))}<dl class="facts">
<div><dt>client_id</dt><dd><code>${escapeHtml(app.client_id)}</code></dd></div>
<div><dt>type</dt><dd>${app.type}${app.require_pkce ? ', must use PKCE' : ''}</dd></div>
<div><dt>registered</dt><dd>${dayHtml(Date.parse(app.created_at))}${app.owner === null ? ', by the operator' : `, by ${escapeHtml(app.owner)}`}</dd></div>
<div><dt>in use</dt><dd>${peopleText(app.user_count)}, ${lastUseText(at(app.last_used_at), now)}</dd></div>
</dl>
<form method="post" action="${path}" class="panel">
${fieldsHtml(state)}
<button>Save</button>
</form>
<div class="actions">
${app.type === 'confidential' ? action('rotate_secret', 'Replace the secret') : ''}
${action('disconnect_all', 'Disconnect everybody', 'danger')}
${action('delete', 'Delete the app', 'danger')}
</div>`,
  )
}

/** What is done to an app only after asking once more. */
export const QUESTIONS = {
  rotate_secret: {
    title: (name: string) => `Replace the secret of ${name}?`,
    text: 'The app stops working until it has the new one. Who is connected stays so.',
    yes: 'Replace it',
  },
  disconnect_all: {
    title: (name: string) => `Disconnect everybody from ${name}?`,
    text: 'Every token of the app ends at once. People can connect again.',
    yes: 'Disconnect them',
  },
  delete: {
    title: (name: string) => `Delete ${name}?`,
    text: 'Every token of the app ends at once, and its client_id is gone for good.',
    yes: 'Delete it',
  },
} as const

/** Asks whether that is what was meant. */
export function questionPage(app: OAuthApp, action: keyof typeof QUESTIONS, formToken: string): string {
  const path = `${HERE}${app.id}/`
  const { title, text, yes } = QUESTIONS[action]
  return accountPage(
    title(app.name),
    HERE,
    `<p>${escapeHtml(capitalised(peopleText(app.user_count)))}. ${text}</p>
<form method="post" action="${path}${action}/" class="actions">
${hidden('form_token', formToken)}${hidden('sure', 'yes')}<button class="danger">${yes}</button>
<a class="button quiet" href="${path}">Leave it as it is</a>
</form>`,
  )
}

function fieldsHtml({ form, formToken, problems }: AppFormState): string {
  const wrong = (field: string): string => (problems.some((one) => one.field === field) ? ' aria-invalid="true"' : '')
  return `${hidden('form_token', formToken)}<label>Name <span>what users read when they are asked</span>
<input type="text" name="name" value="${escapeHtml(form.name)}" maxlength="100" required${wrong('name')}>
</label>
<label>Description <span>what the app does</span>
<textarea name="description" rows="3" maxlength="1000"${wrong('description')}>${escapeHtml(form.description)}</textarea>
</label>
<label>Redirect URIs <span>one on a line, exactly as the app sends them; http://127.0.0.1 stands for any port</span>
<textarea name="redirect_uris" rows="3" required spellcheck="false" class="code" placeholder="https://app.example/callback"${wrong('redirect_uris')}>${escapeHtml(form.redirect_uris)}</textarea>
</label>`
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
