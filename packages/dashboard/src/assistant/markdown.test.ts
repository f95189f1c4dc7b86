import { expect, test } from 'vitest'
import { parseInline, parseMarkdown } from './markdown.js'

const text = (words: string) => ({ type: 'text', text: words })
const paragraph = (words: string) => ({ type: 'paragraph', lines: [[text(words)]] })
const item = (words: string, depth = 0) => ({ depth, inlines: [text(words)] })

test.each([
  { name: 'nothing', from: '', to: [] },
  { name: 'a paragraph', from: 'Level the bed.', to: [paragraph('Level the bed.')] },
  { name: 'two paragraphs', from: 'One.\n\nTwo.', to: [paragraph('One.'), paragraph('Two.')] },
  {
    name: 'a paragraph of two lines',
    from: 'One\r\ntwo',
    to: [{ type: 'paragraph', lines: [[text('One')], [text('two')]] }],
  },
  { name: 'a heading', from: '## First layer ##', to: [{ type: 'heading', lines: [[text('First layer')]] }] },
  {
    name: 'a list after a line',
    from: 'Try:\n- clean it\n- level it',
    to: [paragraph('Try:'), { type: 'list', isOrdered: false, start: 1, items: [item('clean it'), item('level it')] }],
  },
  {
    name: 'a numbered list with air in it and an item of two lines',
    from: '3. one\n\n4. two\n   goes on',
    to: [{ type: 'list', isOrdered: true, start: 3, items: [item('one'), item('two goes on')] }],
  },
  {
    name: 'items below items',
    from: '1. one\n   - below',
    to: [{ type: 'list', isOrdered: true, start: 1, items: [item('one'), item('below', 1)] }],
  },
  {
    name: 'a list of another kind',
    from: '- one\n1. two',
    to: [
      { type: 'list', isOrdered: false, start: 1, items: [item('one')] },
      { type: 'list', isOrdered: true, start: 1, items: [item('two')] },
    ],
  },
  {
    name: 'code',
    from: '```gcode\nG28 ; **home**\n```\nThen.',
    to: [{ type: 'code', text: 'G28 ; **home**' }, paragraph('Then.')],
  },
  { name: 'code that is still coming', from: '```\nG28', to: [{ type: 'code', text: 'G28' }] },
  { name: 'a lone mark', from: '-', to: [paragraph('-')] },
  { name: 'HTML is text', from: '<img src=x onerror=alert(1)>', to: [paragraph('<img src=x onerror=alert(1)>')] },
  {
    name: 'a script is text',
    from: '<script>\nalert(1)\n</script>',
    to: [{ type: 'paragraph', lines: [[text('<script>')], [text('alert(1)')], [text('</script>')]] }],
  },
])('$name', ({ from, to }) => {
  expect(parseMarkdown(from)).toEqual(to)
})

const link = (words: string, url: string, host: string) => ({ type: 'link', text: words, url, host })

test.each([
  {
    name: 'bold',
    from: 'a **b** __c__',
    to: [text('a '), { type: 'bold', text: 'b' }, text(' '), { type: 'bold', text: 'c' }],
  },
  { name: 'italic, but no product', from: '*a* 2*3*4', to: [{ type: 'italic', text: 'a' }, text(' 2*3*4')] },
  { name: 'code is taken as it is', from: '`**M106**`', to: [{ type: 'code', text: '**M106**' }] },
  { name: 'a link', from: '[guide](https://a.test/x)', to: [link('guide', 'https://a.test/x', 'a.test')] },
  { name: 'a link with a title', from: '[guide](http://a.test "t")', to: [link('guide', 'http://a.test/', 'a.test')] },
  { name: 'an address is text', from: 'see https://a.test/x', to: [text('see https://a.test/x')] },
  { name: 'a script as a link', from: '[x](javascript:alert(1))', to: [text('[x](javascript:alert(1))')] },
  { name: 'a script in disguise', from: '[x](JaVaScRiPt:alert`1`)', to: [text('x')] },
  { name: 'a script with a tab', from: '[x](java\tscript:alert)', to: [text('x')] },
  { name: 'data as a link', from: '[x](data:text/html,<b>)', to: [text('x')] },
  { name: 'a link into our own pages', from: '[x](/logout/)', to: [text('x')] },
  { name: 'a link without a scheme', from: '[x](//evil.test/a)', to: [text('x')] },
  { name: 'a host that pretends', from: '[x](https://printwarden@evil.test/)', to: [text('x')] },
  { name: 'a picture is not loaded', from: '![bed](https://evil.test/p?d=secret)', to: [text('[picture: bed]')] },
  { name: 'a picture without words', from: '![](https://evil.test/p)', to: [text('[picture]')] },
  {
    name: 'a picture in a link',
    from: '[![a](https://evil.test/p)](https://evil.test)',
    to: [text('[[picture: a]](https://evil.test)')],
  },
  {
    name: 'a handler in a link',
    from: '[x](https://a.test/"onclick="alert)',
    to: [link('x', 'https://a.test/%22onclick=%22alert', 'a.test')],
  },
])('$name', ({ from, to }) => {
  expect(parseInline(from)).toEqual(to)
})

test.each([
  { name: 'stars', from: '*'.repeat(50_000) },
  { name: 'brackets', from: '[('.repeat(50_000) },
  { name: 'open links', from: '[a]('.repeat(20_000) },
  { name: 'ticks', from: '`a'.repeat(50_000) },
  { name: 'open items', from: '- a\n\n'.repeat(5_000) },
  { name: 'spaces', from: ' '.repeat(50_000) },
  { name: 'a heading of marks', from: `# ${'# '.repeat(20_000)}x` },
  { name: 'a heading of spaces', from: `# x${' '.repeat(50_000)}x` },
  { name: 'empty lines in a list', from: `- a${'\n'.repeat(50_000)}- b` },
  { name: 'a mark and spaces before the end of a line that is none', from: `-${' '.repeat(200_000)}\u2028` },
  { name: 'lone marks with spaces', from: `-${' '.repeat(50_000)}` },
])('$name in great numbers take no time', ({ from }) => {
  const begun = performance.now()
  parseMarkdown(from)
  expect(performance.now() - begun).toBeLessThan(1_000)
})
