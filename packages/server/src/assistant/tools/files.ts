import { z } from 'zod'
import { findVisibleFile, type GCodeFileRow, listFiles } from '../../g-code/file-store.js'
import { fileSelectionOf, fileSortingOf } from '../../g-code/listing.js'
import { METADATA_KEYS } from '../../g-code/metadata.js'
import { listPrintsOfFiles, type PrintRecord } from '../../prints/store.js'
import { instantView } from '../../prints/view.js'
import { plainText } from './data-text.js'
import { defineTool, noAnswer } from './tool.js'

const MAX_FILES = 12
const MAX_PRINTS = 3

export const findFiles = defineTool({
  name: 'find_files',
  description:
    "The user's stored G-code files, newest first, with what they say about themselves (times in seconds, lengths in millimetres, temperatures in degrees Celsius) and how their last prints ended. Those with a part of their name with query; one with g_code_file_id.",
  input: z.object({ query: z.string().max(200).optional(), g_code_file_id: z.int().positive().optional() }),
  async run({ query, g_code_file_id: id }, { user_id }, { database: { db } }) {
    const files =
      id === undefined ? await found(query) : [await findVisibleFile(db, user_id, id)].filter((one) => one != null)
    const [first] = files
    if (id !== undefined && first === undefined) return noAnswer('There is no such file.')
    const ids = files.map((file) => file.id)
    const prints = await listPrintsOfFiles(db, user_id, ids, MAX_PRINTS)
    const data = files.map((file) => {
      const own = prints.filter(({ g_code_file_id }) => g_code_file_id === file.id)
      return fileData(file, own)
    })
    const about =
      id !== undefined && first !== undefined
        ? plainText(first.filename)
        : `files${query === undefined ? '' : ` named like ${plainText(query, 60)}`}`
    return { about, data: { files: data } }

    function found(q: string | undefined): Promise<GCodeFileRow[]> {
      const page = { page: 1, page_size: MAX_FILES }
      return listFiles(db, user_id, fileSelectionOf({ q }), fileSortingOf(undefined), page)
    }
  },
})

const Metadata = z.record(z.string(), z.union([z.string(), z.number()]).catch(0))

/** Of what a file says about itself only what is known, and no position in its bytes. */
const TOLD = METADATA_KEYS.filter((key) => !key.endsWith('_byte'))

function fileData(file: GCodeFileRow, prints: readonly PrintRecord[]) {
  const metadata = Metadata.safeParse(parsed(file.metadata_json)).data ?? {}
  return {
    g_code_file_id: file.id,
    name: file.filename,
    bytes: file.num_bytes,
    uploaded_at: instantView(file.created_at),
    metadata: Object.fromEntries(TOLD.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]]))),
    last_prints: prints.map(({ id, state, started_at }) => ({
      print_id: id,
      state,
      started_at: instantView(started_at),
    })),
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '{}')
  } catch {
    return {}
  }
}
