/// <reference types="node" />
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** The custom properties of a block that begins with this selector. */
function tokensOf(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('}', start))
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]))
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast ratio of WCAG 2. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const THEMES = [
  { theme: 'light', tokens: tokensOf(':root') },
  { theme: 'dark', tokens: tokensOf(':root[data-theme="dark"]') },
]

const ON_PLAIN = ['ink', 'ink-2', 'accent', 'fine', 'odd', 'bad'].flatMap((text) =>
  ['surface', 'ground', 'sunken'].map((ground) => [text, ground] as const),
)
const PAIRS = [
  ...ON_PLAIN,
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-bad', 'bad'],
  ['accent', 'accent-soft'],
  ['fine', 'fine-soft'],
  ['odd', 'odd-soft'],
  ['bad', 'bad-soft'],
  ['ink-2', 'off-soft'],
  ['ink', 'bad-soft'],
  ['ink-2', 'bad-soft'],
] as const

const CASES = THEMES.flatMap(({ theme, tokens }) => PAIRS.map(([text, ground]) => ({ theme, tokens, text, ground })))

test.each(CASES)('$theme: $text can be read on $ground', ({ tokens, text, ground }) => {
  expect(contrast(tokens[text] ?? '#000000', tokens[ground] ?? '#000000')).toBeGreaterThanOrEqual(4.5)
})

test('the dark colours are the same whether the system or the reader chose them', () => {
  expect(tokensOf(':root:not([data-theme="light"])')).toEqual(tokensOf(':root[data-theme="dark"]'))
})
