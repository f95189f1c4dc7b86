// Follows all printers and writes a line for everything that matters: states, failure alerts, commands, the connection.
//
//   PRINTWARDEN_URL=http://127.0.0.1:3334 PRINTWARDEN_TOKEN=… npx tsx --conditions=x-source examples/watch-printers.ts
//
// Ctrl-C ends it. The token needs the scope `read`.
import { createClient, type Printer } from '@printwarden/sdk'

const baseUrl = process.env['PRINTWARDEN_URL'] ?? 'http://127.0.0.1:3334'
const token = process.env['PRINTWARDEN_TOKEN']
if (token === undefined) {
  console.error(
    'PRINTWARDEN_TOKEN is not set. Make one with: npm run server -- token issue --user you@example.org --scope read',
  )
  process.exit(2)
}

const say = (text: string): void => console.log(`${new Date().toISOString()} ${text}`)

const names = new Map<number, string>()
const nameOf = (printerId: number): string => names.get(printerId) ?? `printer ${printerId}`

/** What is worth a line: the state, and how far the print is. */
function describe({ status, current_print }: Printer): string {
  if (status === null) return 'offline'
  const { completion } = status.progress ?? {}
  if (current_print === null) return status.state.text
  return `${status.state.text} ${current_print.filename}${completion ? ` (${Math.floor(completion)}%)` : ''}`
}

const lines = new Map<number, string>()
function show(printer: Printer): void {
  names.set(printer.id, printer.name)
  const line = describe(printer)
  if (lines.get(printer.id) === line) return
  lines.set(printer.id, line)
  say(`${printer.name}: ${line}`)
}

const live = createClient({ baseUrl, token }).live({
  printers: 'all',
  onState: (printers) => printers.forEach(show),
  onChange: show,
  onRemoved: (id) => say(`${nameOf(id)}: removed`),
  onEvent: (event) =>
    say(`${nameOf(event.printer)}: ${event.event_title ?? event.event_type} ${event.image_url ?? ''}`.trimEnd()),
  onCommand: (command) =>
    say(`${nameOf(command.printer_id)}: ${command.cmd} is ${command.status} ${command.error ?? ''}`.trimEnd()),
  onStatus: (status) => {
    if (status.state === 'live') say('connected')
    if (status.state === 'waiting') say(`no connection, next try in ${status.retryInMs} ms`)
    if (status.state === 'closed' && status.error !== undefined) {
      console.error(`refused: ${status.error.detail}`)
      process.exitCode = 1
    }
  },
})

process.once('SIGINT', () => live.close())
process.once('SIGTERM', () => live.close())
