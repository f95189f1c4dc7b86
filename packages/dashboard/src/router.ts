/** Where the reader is. */
export type Route =
  | { readonly page: 'printers' }
  | { readonly page: 'printer'; readonly id: number }
  | { readonly page: 'detection'; readonly id: number }
  | ({ readonly page: 'add' } & Linking)
  | { readonly page: 'prints'; readonly number: number; readonly filter: PrintsFilter | undefined }
  | { readonly page: 'print'; readonly id: number }
  | { readonly page: 'backtest'; readonly id: number }
  | { readonly page: 'assistant'; readonly id: number | undefined }
  | { readonly page: 'missing' }

/** What the page for adding a printer was opened for. */
interface Linking {
  /** The code of our own agent. */
  readonly code: string | undefined
  /** The passcode of another service's agent. */
  readonly passcode: string | undefined
  /** The printer that gets another agent. */
  readonly printerId: number | undefined
}

/** Which prints are listed. */
export const PRINTS_FILTERS = ['finished', 'cancelled', 'failed'] as const
export type PrintsFilter = (typeof PRINTS_FILTERS)[number]

const ID = /^[1-9]\d{0,15}$/

/** The page that an address stands for. */
export function routeOf(path: string, search: string): Route {
  const [first, second, ...rest] = path.split('/').filter((part) => part !== '')
  if (first === 'printers' && second !== undefined && ID.test(second) && rest.length === 1 && rest[0] === 'detection')
    return { page: 'detection', id: Number(second) }
  if (first === 'prints' && second !== undefined && ID.test(second) && rest.length === 1 && rest[0] === 'backtest')
    return { page: 'backtest', id: Number(second) }
  if (rest.length > 0) return { page: 'missing' }
  if (first === undefined || (first === 'printers' && second === undefined)) return { page: 'printers' }
  if (first === 'printers' && second === 'new') return { page: 'add', ...linking(new URLSearchParams(search)) }
  if (first === 'printers' && second !== undefined && ID.test(second)) return { page: 'printer', id: Number(second) }
  if (first === 'prints' && second === undefined) return { page: 'prints', ...listing(new URLSearchParams(search)) }
  if (first === 'prints' && second !== undefined && ID.test(second)) return { page: 'print', id: Number(second) }
  if (first === 'assistant' && second === undefined) return { page: 'assistant', id: undefined }
  if (first === 'assistant' && second !== undefined && ID.test(second)) return { page: 'assistant', id: Number(second) }
  return { page: 'missing' }
}

/** By the QR code or the link of an agent, or from the page of a printer that gets another agent. */
function linking(query: URLSearchParams): Linking {
  const code = query.get('code') ?? ''
  const passcode = (query.get('one_time_passcode') ?? '').toLowerCase()
  const printer = query.get('printer_id') ?? ''
  return {
    code: /^\d{6}$/.test(code) ? code : undefined,
    passcode: /^[a-z0-9]{5}$/.test(passcode) ? passcode : undefined,
    printerId: ID.test(printer) ? Number(printer) : undefined,
  }
}

function listing(query: URLSearchParams): { number: number; filter: PrintsFilter | undefined } {
  const page = query.get('page') ?? '1'
  return {
    number: ID.test(page) ? Number(page) : 1,
    filter: PRINTS_FILTERS.find((filter) => filter === query.get('filter')),
  }
}

/** The address of a page of the list of prints. */
export function printsPath(number: number, filter: PrintsFilter | undefined): string {
  const query = new URLSearchParams()
  if (filter !== undefined) query.set('filter', filter)
  if (number > 1) query.set('page', String(number))
  const text = query.toString()
  return text === '' ? '/prints' : `/prints?${text}`
}
