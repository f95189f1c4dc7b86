import { checkFileName, checkFolderName } from '../g-code/names.js'

/** A name of another server as it can be kept here. */
export interface UsableName {
  readonly name: string
  readonly note: string | undefined
}

const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069/\\]/gu
const MOST = 1000

/** The name of a file: without what no name may hold, and with an ending that says what it is. */
export function usableFileName(text: string): UsableName {
  const checked = checkFileName(text)
  if ('name' in checked) return { name: checked.name, note: undefined }
  const plain = plainName(text, MOST - '.gcode'.length)
  const retried = checkFileName(plain)
  const name = 'name' in retried ? retried.name : `${plain}.gcode`
  return { name, note: `called ${JSON.stringify(name)} here: its name there cannot be kept` }
}

/** The name of a folder. */
export function usableFolderName(text: string): UsableName {
  const checked = checkFolderName(text)
  if ('name' in checked) return { name: checked.name, note: undefined }
  const name = plainName(text, MOST)
  return { name, note: `called ${JSON.stringify(name)} here: its name there cannot be kept` }
}

function plainName(text: string, most: number): string {
  const plain = text.normalize('NFC').replaceAll(UNSHOWABLE, '_').trim().slice(0, most).replace(/^\.+$/, '')
  return plain.replaceAll(/[\p{Cf}\p{Z}]/gu, '') === '' ? 'unnamed' : plain
}
