import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { type ModelServer, startModelServer } from '../support/model-server.js'
import { ADMIN, runServerCommand } from '../support/processes.js'

// The assistant in a real browser, with a real server, agent and virtual printer. Only the model is a script. Screenshots go to
// PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 200_000 }
/** What a model writes that means harm, among what it should. */
const WRITTEN = [
  '**Clean** the bed first:\n\n1. Wipe it with `IPA`\n2. Level it\n   - twice is better\n\n',
  '<img src="/hostile.png" onerror="document.title=\'hacked\'"> ![bed](http://127.0.0.1:9/leak?secret=1) ',
  '[here](javascript:alert) and [the guide](https://guide.example/bed)\n\n```\nG28 ; home\nG29 ; probe\n```\n',
]

let model: ModelServer
let world: DashboardWorld
let page: Page
/** Everything that the browser asked for. */
const requests: string[] = []

beforeAll(async () => {
  model = await startModelServer()
  world = await openDashboard({
    timeoutMs: 30_000,
    env: {
      PRINTWARDEN_ASSISTANT_URL: model.url,
      PRINTWARDEN_ASSISTANT_MODEL: 'small',
      PRINTWARDEN_ASSISTANT_VISION_MODEL: 'small',
      PRINTWARDEN_ASSISTANT_MONTHLY_CREDITS: '50',
      PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${model.port}`,
    },
  })
  page = world.page
  page.on('request', (request) => requests.push(request.url()))
}, 240_000)

afterAll(async () => {
  await world?.close()
  await model?.close()
})

stopAtFirstFailure(() => world, 'assistant')

const question = () => page.getByLabel('Your question')
const answers = () => page.getByRole('article', { name: 'The assistant answered' })
const state = (): Promise<unknown> =>
  page.evaluate(async () => {
    const printer: unknown = await (await fetch('/api/v1/printers/1/')).json()
    return (printer as { status: { state: { text: string } } | null }).status?.state.text
  })

async function ask(text: string): Promise<void> {
  await question().fill(text)
  await question().press('Enter')
}

/** Lets the model propose something, and gives the card that the reader is shown. */
async function propose(action: string, title: RegExp) {
  const reason = 'The first layer has come loose at the left corner.'
  model.script.push({ calls: [{ name: 'propose_action', arguments: { action, printer_id: 1, reason } }] })
  model.script.push({ text: ['I have put it before you.'] })
  await ask(`Please ${action} it`)
  const card = page.getByRole('region', { name: title })
  await card.getByText(reason).waitFor()
  return card
}

/** Whether what became of a proposal has the focus, which its button had before. */
const hasFocus = (card: Locator) => (): Promise<boolean> =>
  card.getByRole('status').evaluate((line) => line === document.activeElement)

test('a virtual printer prints', async () => {
  await world.signIn('/printers/new')
  const camera = '[camera workshop bed]\npictures: generated\ninterval: 1'
  await world.startPrinter(await world.addPrinter(), ['duration: 600', 'heating: 2'], [camera])
  await expect.poll(state, LONG).toBe('Printing')
  // So that a short print has a time-lapse too.
  await page.evaluate(async () => {
    const body = JSON.stringify({ min_timelapse_secs_on_cancel: 0 })
    await fetch('/api/v1/printers/1/', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body })
  })
}, 300_000)

test('an answer is shown as text with its marks, kept, and loads nothing', async () => {
  await page.getByRole('link', { name: 'Assistant' }).click()
  await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor()
  await page.getByText('50 of 50 credits left this month').waitFor()
  await world.lookAt('assistant-empty')
  model.script.push({ text: WRITTEN })
  await question().fill('My first layer')
  await question().press('Shift+Enter')
  await question().pressSequentially('does not stick')
  expect(model.asked).toEqual([])
  await question().press('Enter')
  const answer = answers().first()
  await answer.locator('strong', { hasText: 'Clean' }).waitFor()
  expect(model.asked[0]).toContain(JSON.stringify('My first layer\ndoes not stick'))
  await answer.getByText('<img src="/hostile.png"').waitFor()
  await answer.getByText('[picture: bed]').waitFor()
  expect(await answer.locator('ol > li').allInnerTexts()).toEqual(['Wipe it with IPA', 'Level it', 'twice is better'])
  expect(await answer.locator('img').count()).toBe(0)
  expect(await answer.getByRole('link').evaluateAll((links) => links.map((link) => link.outerHTML))).toEqual([
    '<a href="https://guide.example/bed" target="_blank" rel="noopener noreferrer nofollow">the guide</a>',
  ])
  expect(requests.filter((url) => /hostile|leak/.test(url))).toEqual([])
  await page.waitForURL('**/assistant/1/')
  await page.getByText('49 of 50 credits left this month').waitFor()
  await world.lookAt('assistant-answer')
}, 120_000)

test('an answer that is stopped ends at the model too, and what came of it is kept', async () => {
  model.script.push({ text: ['It may also be', ' the fan'], ends: 'hang' })
  await ask('And what else?')
  const coming = page.getByRole('article', { name: 'The assistant is answering' })
  await coming.getByText('It may also be the fan').waitFor()
  await world.shoot('assistant-coming')
  await model.untilOpen(1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this answer.').waitFor()
  await model.untilOpen(0)
  await expect.poll(() => question().evaluate((area) => area === document.activeElement)).toBe(true)
  await page.reload()
  await answers().nth(1).getByText('It may also be the fan').waitFor()
}, 120_000)

test('what was looked at is said, with its pictures', async () => {
  model.script.push(
    { calls: [{ name: 'list_printers', arguments: { printer_id: 1 } }] },
    { text: ['It prints and looks fine.'] },
  )
  await ask('What is my printer doing?')
  const answer = answers().nth(2)
  await answer.getByText('It prints and looks fine.').waitFor()
  await answer.getByRole('list', { name: 'Looked at' }).getByText('Workshop printer').waitFor()
  const picture = answer.locator('.answer-picture img')
  await expect
    .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
    .toBeGreaterThan(0)
}, 120_000)

test('a question that the model failed at can be asked again', async () => {
  await page.getByText('47 of 50 credits left this month').waitFor()
  model.script.push({ refusal: 400 })
  await ask('And now?')
  await page.getByRole('alert').getByText('The model gave no answer').waitFor()
  await page.getByText('47 of 50 credits left this month').waitFor()
  await world.shoot('assistant-failed-model')
  await page.getByRole('button', { name: 'Try again' }).click()
  await answers().nth(3).getByText('Level the bed.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
}, 120_000)

test('a proposal is only carried out by its button', async () => {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect.poll(() => question().evaluate((area) => area === document.activeElement)).toBe(true)
  const card = await propose('pause', /^Pause the print “.*” on “\u2068Workshop printer\u2069”$/)
  await card.getByText('The print stands still until somebody resumes it.').waitFor()
  await world.lookAt('assistant-proposal')
  await question().press('Enter')
  expect(await state()).toBe('Printing')
  await card.getByRole('button', { name: 'Pause the print' }).click()
  await card.getByText('Done.').waitFor()
  await expect.poll(hasFocus(card)).toBe(true)
  await expect.poll(state, LONG).toBe('Paused')
}, 120_000)

test('a proposal that is declined does nothing, also after a reload', async () => {
  await propose('resume', /^Resume the print/)
  await page.goto(`${world.server.url}/assistant/`)
  const waiting = page.getByRole('region', { name: 'Waiting for your word' })
  await waiting.getByRole('button', { name: 'Resume the print' }).waitFor()
  await world.lookAt('assistant-waiting')
  await waiting.getByRole('button', { name: 'Decline' }).click()
  await waiting.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /^Please pause it/ }).click()
  await page.getByText('Declined. Nothing was done.').waitFor()
  expect(await state()).toBe('Paused')
}, 120_000)

test('a cancel asks once more', async () => {
  const card = await propose('cancel', /^Cancel the print/)
  await card.getByRole('button', { name: 'Cancel the print' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this print?' })
  await dialog.waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await state()).toBe('Paused')
  await card.getByRole('button', { name: 'Cancel the print' }).click()
  await dialog.getByRole('button', { name: 'Cancel the print' }).click()
  await card.getByText('Done.').waitFor()
  await expect.poll(hasFocus(card)).toBe(true)
  await expect.poll(state, LONG).toBe('Operational')
}, 240_000)

test("a failed print's page says why, and leads to the moments that it cites", async () => {
  await page.goto(`${world.server.url}/prints/1`)
  const panel = page.locator('.post-mortem')
  await panel.getByRole('heading', { name: 'Why did this print fail?' }).waitFor()
  await world.lookAt('post-mortem-none')
  const verdict = {
    cause: 'The first layer came loose at a corner',
    certainty: 'likely',
    answer: 'The bed was warm enough at the start [1].\n\nThen a corner lifted [2, 3], and nobody saw it [4] [99].',
    advice: ['Clean the bed with alcohol [5].', 'Print the first layer slower.'],
  }
  model.script.push({ text: [JSON.stringify(verdict)] })
  await panel.getByRole('button', { name: 'Ask the assistant (1 credit)' }).click()
  await panel.getByText('The first layer came loose at a corner').waitFor(LONG)
  await panel.getByText('Print the first layer slower.').waitFor()
  const moments = panel.getByRole('list', { name: 'What the answer cites' }).locator('> li')
  expect(await moments.count()).toBeGreaterThan(2)
  await panel.getByRole('link', { name: 'Moment 2' }).click()
  await expect.poll(() => moments.nth(1).evaluate((item) => item === document.activeElement)).toBe(true)
  expect(page.url()).toBe(`${world.server.url}/prints/1`)
  await page.reload()
  await panel.getByRole('button', { name: 'Ask again (1 credit)' }).waitFor()
  await world.lookAt('post-mortem')
  await page.locator('.film-curve').waitFor(LONG)
  await panel.getByRole('button', { name: 'Show in the time-lapse' }).last().click()
  const video = page.locator('video')
  await expect
    .poll(() => video.evaluate((film) => (film instanceof HTMLVideoElement ? film.currentTime : 0)))
    .toBeGreaterThan(0)
  await panel
    .getByRole('button', { name: /^Larger:/ })
    .first()
    .click()
  await page.getByRole('dialog').locator('.full-picture').waitFor()
  await world.shoot('post-mortem-picture')
  await page.keyboard.press('Escape')
}, 300_000)

test('what another program kept can neither load a picture nor make up a proposal', async () => {
  const answer = {
    role: 'assistant',
    content: 'Look at this.',
    pictures: [{ url: 'http://127.0.0.1:9/forged.png', caption: 'Forged', printer_id: null, print_id: null }],
    proposals: [77],
  }
  const id = await page.evaluate(
    async (messages) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ messages })
      const made: unknown = await (await fetch('/assistant/api/chats/', { method: 'POST', headers, body })).json()
      return (made as { id: number }).id
    },
    JSON.stringify([{ role: 'user', content: 'Forged' }, answer]),
  )
  await page.goto(`${world.server.url}/assistant/${id}/`)
  await page.getByText('The picture is no longer there').waitFor()
  expect(await answers().locator('img, button').count()).toBe(0)
  expect(requests.filter((url) => url.includes('forged'))).toEqual([])
}, 60_000)

test('without credits it says when they come back', async () => {
  await runServerCommand(world.server.url, ['user', 'set', ADMIN.email, '--ai-quota', '1'])
  await page.goto(`${world.server.url}/assistant/1/`)
  await page.getByText('0 of 1 credits left this month').waitFor()
  await ask('Once more?')
  const problem = page.getByRole('alert')
  await problem.getByText('No credits are left').waitFor()
  await problem.getByText(/The next come on 1 \w+\./).waitFor()
  await world.lookAt('assistant-exhausted')
}, 120_000)

test('a conversation is deleted for good', async () => {
  await page.getByRole('button', { name: /^Delete “My first layer/ }).click({ force: true })
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/assistant/')
  await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor()
  await expect.poll(() => page.locator('.chat-line').count()).toBe(2)
}, 120_000)

test('the page complained about nothing but the refusal', () => {
  expect(world.complaints.filter((text) => !text.includes('402'))).toEqual([])
})

test('a server without a model says what to set', async () => {
  const bare = await openDashboard()
  try {
    await bare.signIn('/assistant/')
    await bare.page.getByText('The assistant is not set up').waitFor()
    await bare.page.getByText('PRINTWARDEN_ASSISTANT_URL').waitFor()
    expect(await bare.page.getByLabel('Your question').count()).toBe(0)
    await bare.lookAt('assistant-not-set-up')
    expect(bare.complaints).toEqual([])
  } finally {
    await bare.close()
  }
}, 240_000)
