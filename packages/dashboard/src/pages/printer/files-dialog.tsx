import type { Command, Printer } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Dialog } from '../../components/dialog.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { Moment } from '../../components/when.js'
import { machineOrders } from '../../printer-commands.js'

type Files = NonNullable<Command['result']>

const REFUSED = 'The command did not reach the printer: its agent is not connected, or it is printing.'
const NO_LIST =
  'The printer did not say which files it has. Look whether it is switched on and connected, then try again.'

/** The files that lie on the printer itself, newest first; one of them can be printed. */
export function FilesDialog({ printer, onClose }: { printer: Printer; onClose: () => void }) {
  const [sought, setSought] = useState('')
  const list = useFiles(printer.id)
  const files = list === 'failed' ? undefined : list?.files
  const word = sought.trim().toLowerCase()
  const shown = files?.filter(({ path }) => path.toLowerCase().includes(word)) ?? []
  return (
    <Dialog title={`Files on ${printer.name}`} onClose={onClose}>
      <h2>Files on {printer.name}</h2>
      {list === undefined && (
        <p class="quiet" aria-busy="true">
          Asking the printer…
        </p>
      )}
      {list === 'failed' && <p class="tone-bad">{NO_LIST}</p>}
      {files?.length === 0 && <p class="quiet">There are no files on it.</p>}
      {files !== undefined && files.length > 8 && (
        <label class="field">
          Find a file
          <input type="search" value={sought} onInput={(event) => setSought(event.currentTarget.value)} />
        </label>
      )}
      {shown.length > 0 && (
        <ul class="rows">
          {shown.map((file) => (
            <FileRow key={`${file.origin} ${file.path}`} printer={printer} file={file} onPrinted={onClose} />
          ))}
        </ul>
      )}
      {typeof list === 'object' && list.is_cut && <p class="quiet">There are more; these are the newest.</p>}
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

/** The list, once the printer has told it. */
function useFiles(id: number): Files | 'failed' | undefined {
  const { client } = useApp()
  const [list, setList] = useState<Files | 'failed' | undefined>(undefined)
  useEffect(() => {
    const leaving = new AbortController()
    const look = async () => {
      const asked = await client.listFiles({ id })
      if (!asked.succeeded) return setList('failed')
      const { result } = await client.waitFor(asked, { signal: leaving.signal })
      setList(result ?? 'failed')
    }
    look().catch(() => {
      if (!leaving.signal.aborted) setList('failed')
    })
    return () => leaving.abort()
  }, [client, id])
  return list
}

function FileRow(props: { printer: Printer; file: Files['files'][number]; onPrinted: () => void }) {
  const { printer, file, onPrinted } = props
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const [isAsking, setAsking] = useState(false)
  const print = () =>
    run(
      'Could not print it',
      () => client.printFile({ id: printer.id, path: file.path, origin: file.origin }),
      (result) => {
        take(result, REFUSED)
        onPrinted()
      },
    )
  return (
    <li class="row">
      <div class="row-words">
        <p class="file">{file.path}</p>
        <p class="quiet">
          {file.origin === 'sdcard' ? 'On its card' : sizeWords(file.size)}
          {file.date !== null && (
            <>
              {' · '}
              <Moment ts={file.date} />
            </>
          )}
        </p>
      </div>
      {machineOrders(printer).canPrint &&
        (isAsking ? (
          <button type="button" class="button primary small" onClick={print}>
            The bed is free: print
          </button>
        ) : (
          <button type="button" class="button small" onClick={() => setAsking(true)}>
            Print
          </button>
        ))}
    </li>
  )
}

function sizeWords(bytes: number | null): string {
  if (bytes === null) return ''
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
