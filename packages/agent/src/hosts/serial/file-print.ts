import type { LineFile } from './file-client.js'
import { afterCommand, afterComment, NEW_G_CODE_STATE, type GCodeState } from './g-code-state.js'
import { commandOf } from './line-protocol.js'

/** A file on its way to the printer. */
export interface FilePrint {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** How much of it has been sent, in bytes. */
  readonly byte: number
  /** What it has made of the printer so far. */
  readonly gCode: GCodeState
  /** Why there is no next command, where there is none. */
  readonly end: 'end' | 'broken' | undefined
  /** The next command; undefined when there is none, or none yet. */
  next(): string | undefined
  close(): void
}

export function newFilePrint(name: string, lines: LineFile): FilePrint {
  let byte = 0
  let gCode = NEW_G_CODE_STATE
  let end: 'end' | 'broken' | undefined

  function next(): string | undefined {
    while (end === undefined) {
      const line = lines.next()
      if (line === 'later') return undefined
      if (line === 'end' || line === 'broken') {
        end = line
        return undefined
      }
      byte = line.end
      const comment = line.text.indexOf(';')
      if (comment >= 0) gCode = afterComment(gCode, line.text.slice(comment + 1))
      const command = commandOf(line.text)
      if (command === '') continue
      gCode = afterCommand(gCode, command)
      return command
    }
    return undefined
  }

  return {
    name,
    size: lines.size,
    get byte() {
      return byte
    },
    get gCode() {
      return gCode
    },
    get end() {
      return end
    },
    next,
    close: () => void lines.close(),
  }
}
