import { expect, test } from 'vitest'
import { isNews, passthruLine } from './passthru-line.js'

const call = { target: 'moonraker_api', func: 'printer/gcode/script' } as const

test.each([
  { actor: { initiator: 'api', initiator_name: 'Desk' }, by: 'app', text: 'by the app Desk' },
  { actor: { initiator: 'api', initiator_name: null }, by: 'app', text: 'by an app' },
  { actor: { initiator: 'web', initiator_name: 'Ada' }, by: 'user', text: 'by Ada' },
] as const)('the history says $text', ({ actor, by, text }) => {
  expect(passthruLine(call, actor)).toMatchObject({
    event_text: `moonraker_api printer/gcode/script was called ${text}.`,
    initiator: by,
    initiator_name: actor.initiator_name,
  })
})

test.each([
  { toldAt: undefined, news: true },
  { toldAt: 1_000_000, news: false },
  { toldAt: 400_001, news: false },
  { toldAt: 400_000, news: true },
  { toldAt: 9_000_000, news: true },
])('told at $toldAt, asked again at 1000000: $news', ({ toldAt, news }) => {
  expect(isNews(toldAt, 1_000_000)).toBe(news)
})
