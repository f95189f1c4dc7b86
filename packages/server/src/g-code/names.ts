import { MAX_NAME_LENGTH } from '@printwarden/protocol'

// Names of files and folders, as people give them. They are kept as they were meant and never become paths: bytes lie under keys of
// their own. What no file system and no person can tell apart or show is refused.

/** A name that can be used, or what is wrong with it in words that can follow "must" or "the name". */
export type CheckedName = { readonly name: string } | { readonly problem: string }

const EXTENSION = /\.(?:gcode|gco|g|bgcode|3mf)$/i

/** Line breaks and other control characters, halves of characters, and marks that make a name read backwards. */
const UNSHOWABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

/** The name of a file that this server stores (decision 10). */
export function checkFileName(text: string): CheckedName {
  const checked = checkName(text)
  if ('problem' in checked) return checked
  const stem = checked.name.replace(EXTENSION, '')
  if (stem === checked.name) return { problem: 'must end in .gcode, .gco, .g, .bgcode or .3mf' }
  return isInvisible(stem) ? { problem: 'must have something before its extension' } : checked
}

/** Whether a name would show as nothing. */
const isInvisible = (text: string): boolean => text.replaceAll(/[\p{Cf}\p{Z}]/gu, '') === ''

/** The name of a folder. */
export function checkFolderName(text: string): CheckedName {
  return checkName(text)
}

function checkName(text: string): CheckedName {
  if (UNSHOWABLE.test(text))
    return { problem: 'must not hold line breaks, control characters or marks that turn the reading direction' }
  const name = text.normalize('NFC').trim()
  if (isInvisible(name)) return { problem: 'must not be empty' }
  if (name.length > MAX_NAME_LENGTH) return { problem: `must have at most ${MAX_NAME_LENGTH} characters` }
  if (/[/\\]/.test(name)) return { problem: 'must be a name without a path: no / and no \\' }
  return /^\.+$/.test(name) ? { problem: 'must not be made of dots alone' } : { name }
}

/** A name with `_` in place of everything but letters, digits, `_` and `.`, in any script (wire facts, section 1.7). */
export function safeName(name: string): string {
  return name.normalize('NFC').replaceAll(/[^\p{L}\p{N}_.]/gu, '_')
}

/** What a name is searched by: a part of it in any letter case, as people type it. */
export function searchName(name: string): string {
  return safeName(name).toLowerCase()
}
