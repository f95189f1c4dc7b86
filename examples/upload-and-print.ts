// Uploads a G-code file with progress, prints it, and waits until the printer has begun.
//
//   PRINTWARDEN_URL=http://127.0.0.1:3334 PRINTWARDEN_TOKEN=… npx tsx --conditions=x-source examples/upload-and-print.ts cube.gcode "MK4"
//
// The token needs the scopes `read` and `write`. Ctrl-C gives up: an upload that is not complete leaves nothing behind. Exit code 1 when
// the server or the printer says no, 2 when something is missing on the command line.
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { ApiError, type Client, CommandError, createClient, NetworkError } from '@printwarden/sdk'

const token = process.env['PRINTWARDEN_TOKEN']
const [path, printerName] = process.argv.slice(2)
if (token === undefined || path === undefined || printerName === undefined) {
  console.error('Usage: upload-and-print.ts <file> <printer>, with PRINTWARDEN_TOKEN set')
  process.exit(2)
}

/** Uploads the file, a line for each tenth, and starts it. */
async function uploadAndPrint(client: Client, file: string, printer: string, signal: AbortSignal): Promise<void> {
  const found = (await client.listPrinters({}, { signal })).find(({ name }) => name === printer)
  if (found === undefined) throw new Error(`There is no printer "${printer}".`)

  let tenths = 0
  const saved = await client.uploadGCodeFile(
    // A blob of this kind is read from disk as it is sent, so the file may be larger than the memory.
    { filename: basename(file), file: await openAsBlob(file) },
    {
      signal,
      onProgress: ({ loaded, total = 0 }) => {
        const now = total === 0 ? 10 : Math.floor((loaded / total) * 10)
        if (now > tenths) console.log(`uploaded ${now * 10}%`)
        tenths = now
      },
    },
  )
  const result = await client.printGCodeFile({ id: saved.id, printer_id: found.id }, { signal })
  if (result.reason !== null) throw new Error(`Not printed: ${result.reason.detail}`)
  console.log(`sent ${saved.filename} to ${found.name}`)
  await client.waitFor(result, { signal, timeoutMs: 30 * 60_000 })
  console.log(`${found.name} is printing`)
}

const stop = new AbortController()
process.once('SIGINT', () => stop.abort(new Error('Given up.')))
process.once('SIGTERM', () => stop.abort(new Error('Given up.')))

try {
  const client = createClient({ baseUrl: process.env['PRINTWARDEN_URL'] ?? 'http://127.0.0.1:3334', token })
  await uploadAndPrint(client, path, printerName, stop.signal)
} catch (error) {
  const isKnown = error instanceof ApiError || error instanceof NetworkError || error instanceof CommandError
  console.error(isKnown ? `${error.name}: ${error.message}` : error instanceof Error ? error.message : error)
  process.exitCode = 1
}
