import type { Print } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Chip } from '../../components/chip.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { reasonOf } from '../../notices.js'
import { PRINTS_FILTERS, type PrintsFilter, printsPath } from '../../router.js'
import { alertWords, printDuration, resultWords } from '../../wording.js'

const PAGE_SIZE = 25

interface Loaded {
  readonly prints: readonly Print[]
  readonly total: number | undefined
}

/** All prints, newest first. */
export function PrintsPage({ number, filter }: { number: number; filter: PrintsFilter | undefined }) {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const { client, live } = useApp()
  const isLive = live.status.value.state === 'live'
  usePageTitle('Prints')

  useEffect(() => {
    const controller = new AbortController()
    let total: number | undefined
    const start = (number - 1) * PAGE_SIZE
    const which = filter === undefined ? {} : { filter }
    client
      .listPrints(
        { sorting: 'date_desc', start, limit: PAGE_SIZE, ...which },
        {
          signal: controller.signal,
          onResponse: ({ headers }) => {
            total = countOf(headers.get('x-total-count'))
          },
        },
      )
      .then((prints) => {
        setLoaded({ prints, total })
        setProblem(undefined)
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(reasonOf(error))
      })
    return () => controller.abort()
  }, [number, filter, isLive])

  return (
    <>
      <div class="page-head">
        <h1>Prints</h1>
        <Filters chosen={filter} />
      </div>
      {problem !== undefined && <p class="tone-bad">The prints could not be loaded: {problem}</p>}
      {loaded === undefined ? (
        problem === undefined && <p class="quiet">Loading…</p>
      ) : (
        <>
          <PrintTable prints={loaded.prints} filter={filter} />
          <Pager number={number} filter={filter} loaded={loaded} />
        </>
      )}
    </>
  )
}

function countOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined
}

const FILTER_WORDS: Readonly<Record<PrintsFilter, string>> = {
  finished: 'Finished',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

function Filters({ chosen }: { chosen: PrintsFilter | undefined }) {
  return (
    <nav class="segments" aria-label="Which prints">
      <a href={printsPath(1, undefined)} aria-current={chosen === undefined ? 'true' : undefined}>
        All
      </a>
      {PRINTS_FILTERS.map((filter) => (
        <a key={filter} href={printsPath(1, filter)} aria-current={chosen === filter ? 'true' : undefined}>
          {FILTER_WORDS[filter]}
        </a>
      ))}
    </nav>
  )
}

function PrintTable({ prints, filter }: { prints: readonly Print[]; filter: PrintsFilter | undefined }) {
  if (prints.length === 0) {
    return (
      <p class="panel quiet">
        {filter === undefined
          ? 'No prints here. A print is recorded as soon as a connected printer starts one.'
          : `No ${FILTER_WORDS[filter].toLowerCase()} prints here.`}
      </p>
    )
  }
  return (
    <div class="panel table-panel">
      <table class="prints">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Printer</th>
            <th scope="col">Started</th>
            <th scope="col">Duration</th>
            <th scope="col">Result</th>
            <th scope="col">Failure alert</th>
          </tr>
        </thead>
        <tbody>
          {prints.map((print) => (
            <PrintRow key={print.id} print={print} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PrintRow({ print }: { print: Print }) {
  const { now, live } = useApp()
  const alert = alertWords(print)
  const printer = print.printer === null ? undefined : live.printers.value.get(print.printer.id)
  return (
    <tr>
      <th scope="row">
        <span class="with-poster">
          {print.poster_url !== null && <img class="poster" src={print.poster_url} alt="" loading="lazy" />}
          <a href={`/prints/${print.id}`}>{print.filename}</a>
        </span>
      </th>
      <td class="printer">
        {print.printer === null ? '–' : <a href={`/printers/${print.printer.id}`}>{print.printer.name}</a>}
      </td>
      <td>{print.started_at === null ? '–' : <Moment ts={secondsOf(print.started_at)} />}</td>
      <td class="duration">{printDuration(print, now.value) ?? '–'}</td>
      <td class="result">
        <Chip words={resultWords(print, printer)} />
      </td>
      <td class="alert">{alert !== undefined && <Chip words={alert} />}</td>
    </tr>
  )
}

function Pager({ number, filter, loaded }: { number: number; filter: PrintsFilter | undefined; loaded: Loaded }) {
  const { prints, total } = loaded
  const first = (number - 1) * PAGE_SIZE + 1
  const last = first + prints.length - 1
  const hasNext = total === undefined ? prints.length === PAGE_SIZE : last < total
  if (number === 1 && !hasNext) return null
  return (
    <nav class="pager" aria-label="Pages">
      {number > 1 && (
        <a class="button" href={printsPath(number - 1, filter)} rel="prev">
          <Icon name="back" /> Newer
        </a>
      )}
      <span class="quiet">
        {prints.length === 0 ? 'Nothing here' : `${first}–${last}`}
        {total !== undefined && ` of ${total}`}
      </span>
      {hasNext && (
        <a class="button" href={printsPath(number + 1, filter)} rel="next">
          Older <Icon name="forward" />
        </a>
      )}
    </nav>
  )
}
