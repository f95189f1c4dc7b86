import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/processes.js'
import { readArguments } from './src/arguments.js'
import { type CaseInfo, selectCases, unknownWishes } from './src/case.js'
import { htmlReport } from './src/html-report.js'
import { openProgress } from './src/progress.js'
import { Report, reportOf, reportSchema } from './src/report.js'
import { readTarget } from './src/target.js'
import { mutationsPage } from './mutations/table.js'

// The kit's own parts: the command line, the choice of cases, reports, the target.

const info = (id: string, more: Partial<CaseInfo> = {}): CaseInfo => ({
  id,
  group: 'contract',
  section: 'api.md §4.2',
  title: `the rule of ${id}`,
  ...more,
})

const CASES = [
  info('printers/get'),
  info('printers/delete', { section: 'decision 5', group: 'decisions' }),
  info('errors/foreign-get-printer'),
]

describe('the choice of cases', () => {
  const chosen = (...only: string[]): string[] => selectCases(CASES, { only }).map(({ id }) => id)

  test.each([
    { name: 'an id', only: ['printers/get'], ids: ['printers/get'] },
    { name: 'a file, not every id with its name', only: ['printers'], ids: ['printers/get', 'printers/delete'] },
    { name: 'a group', only: ['decisions'], ids: ['printers/delete'] },
    { name: 'a section, in any case', only: ['Decision 5'], ids: ['printers/delete'] },
    { name: 'a piece of an id', only: ['foreign'], ids: ['errors/foreign-get-printer'] },
    {
      name: 'several, in their order',
      only: ['foreign', 'printers/get'],
      ids: ['printers/get', 'errors/foreign-get-printer'],
    },
    { name: 'none', only: ['nothing'], ids: [] },
  ])('$name', ({ only, ids }) => {
    expect(chosen(...only)).toEqual(ids)
  })

  test('a group beside it takes the cases of both', () => {
    expect(selectCases(CASES, { only: ['printers'], group: 'contract' }).map(({ id }) => id)).toEqual(['printers/get'])
  })

  test('wishes for which there is no case are told', () => {
    expect(unknownWishes(CASES, ['printers', 'nothing'])).toEqual(['nothing'])
  })
})

describe('the command line', () => {
  const problemsOf = (...args: string[]): string[] => {
    try {
      readArguments(args)
      return []
    } catch (error) {
      return error instanceof Error ? error.message.split('\n') : []
    }
  }

  test('every problem is told at once', () => {
    expect(problemsOf('--group', 'all', '--report', 'a.txt', '--timeout', '0', 'extra')).toEqual([
      '"extra" is not understood',
      '--target is missing',
      '--group is contract or decisions, not "all"',
      '--report ends in .json or .html, unlike "a.txt"',
      '--timeout is a number of seconds, not "0"',
    ])
  })

  test('an agent needs an address and a token, and no target', () => {
    expect(problemsOf('agent', '--target', 'x.json', '--listen', 'here')).toEqual([
      '--auth-token is missing',
      '--target is not for agents',
      '--listen is HOST:PORT, not "here"',
    ])
  })

  test('an IPv6 address is told apart from its port', () => {
    const { listen } = readArguments(['agent', '--listen', '[::1]:8080', '--auth-token', 't'])
    expect(listen).toEqual({ host: '::1', port: 8080 })
  })

  test('the list needs nothing else', () => {
    expect(problemsOf('--list')).toEqual([])
    expect(problemsOf('agent', '--list')).toEqual([])
  })
})

describe('reports', () => {
  const report = reportOf(
    { subject: 'server', target: 'http://a.example', kitVersion: '1.2.3', startedAt: new Date(0), durationMs: 1500.4 },
    [
      { case: info('a/one'), durationMs: 12.4 },
      { case: info('b/two', { group: 'decisions' }), durationMs: 3, error: new Error('it is <b>"wrong"</b>') },
    ],
  )

  test('the report counts by group, and has the form that its schema says', () => {
    expect(report).toMatchObject({
      passed: 1,
      failed: 1,
      groups: { contract: { passed: 1 }, decisions: { failed: 1 } },
    })
    expect(Report.parse(JSON.parse(JSON.stringify(report)))).toEqual(report)
  })

  test('the schema in the package is that of the report', () => {
    const file = new URL('report.schema.json', import.meta.url)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(reportSchema())
  })

  test('the page shows what failed, and runs nothing that a server said', () => {
    const page = htmlReport(report)
    expect(page).toContain('1 of 2 rules are not kept')
    expect(page).toContain('it is &lt;b&gt;&quot;wrong&quot;&lt;/b&gt;')
    expect(page).not.toMatch(/<script|src=|href=/)
  })

  test('on a terminal one line moves and failures stay; elsewhere each case is a line', () => {
    const shownOn = (isTTY: boolean): string => {
      let text = ''
      const progress = openProgress({ isTTY, columns: 80, write: (part) => (text += part) }, 2)
      const [one, two] = CASES
      if (one === undefined || two === undefined) throw new Error('there are no cases')
      progress.started(one)
      progress.ended({ case: one, durationMs: 1 })
      progress.started(two)
      progress.ended({ case: two, durationMs: 1, error: new Error('no') })
      return text
    }
    expect(shownOn(false)).toBe(
      '✓ printers/get (api.md §4.2): the rule of printers/get [1 ms]\n✗ printers/delete (decision 5): the rule of printers/delete [1 ms]\n    no\n',
    )
    expect(shownOn(true)).toContain('[1/2] printers/delete')
    expect(shownOn(true)).not.toContain('✓')
  })
})

test('a target tells everything that is wrong with it', async () => {
  const folder = await temporaryFolder()
  const file = join(folder.path, 'target.json')
  await writeFile(file, JSON.stringify({ base_url: 'ftp://a.example', agent_ws_url: 'http://a.example', tokens: {} }))
  const error = await readTarget(file).catch((err: unknown) => err)
  const text = error instanceof Error ? error.message : ''
  for (const path of ['base_url', 'agent_ws_url', 'owner', 'tokens.read_write', 'disposable_printers']) {
    expect(text).toContain(`→ at ${path}`)
  }
  await folder.remove()
})

test('the page about mutations is up to date', async () => {
  await expect(mutationsPage()).toMatchFileSnapshot('../../docs/conformance-mutations.md')
})
