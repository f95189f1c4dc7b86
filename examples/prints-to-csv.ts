// Writes all prints as CSV, oldest first, one page after the other.
//
//   PRINTWARDEN_URL=http://127.0.0.1:3334 PRINTWARDEN_TOKEN=… npx tsx --conditions=x-source examples/prints-to-csv.ts > prints.csv
//
// The token needs the scope `read`. Exit code 1 when the server says no, 2 without a token.
import { ApiError, createClient, NetworkError, type Print } from '@printwarden/sdk'

const PAGE_SIZE = 100

function resultOf(print: Print): string {
  if (print.failed_at !== null) return 'failed'
  if (print.cancelled_at !== null) return 'cancelled'
  return print.finished_at === null ? 'running' : 'finished'
}

/** One field of a CSV file (RFC 4180). */
const field = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

function rowOf(print: Print): string {
  return [
    String(print.id),
    print.filename,
    print.printer?.name ?? '',
    print.started_at ?? '',
    print.ended_at ?? '',
    resultOf(print),
    print.alerted_at ?? '',
    print.alert_overwrite ?? '',
  ]
    .map(field)
    .join(',')
}

const token = process.env['PRINTWARDEN_TOKEN']
if (token === undefined) {
  console.error('PRINTWARDEN_TOKEN is not set.')
  process.exit(2)
}
const client = createClient({ baseUrl: process.env['PRINTWARDEN_URL'] ?? 'http://127.0.0.1:3334', token })

try {
  console.log('id,file,printer,started,ended,result,alerted,verdict')
  for await (const print of client.allPrints({ sorting: 'date_asc', limit: PAGE_SIZE })) console.log(rowOf(print))
} catch (error) {
  if (!(error instanceof ApiError) && !(error instanceof NetworkError)) throw error
  console.error(error instanceof ApiError ? `${error.code}: ${error.detail}` : error.message)
  process.exitCode = 1
}
