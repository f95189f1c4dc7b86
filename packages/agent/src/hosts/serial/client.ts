import { closeSync, readSync, writeSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { SerialPort } from 'serialport'

/** An open serial port. */
export interface SerialLink {
  /** Hands the text to the system before it returns; one byte for each character. */
  write(text: string): void
  /** Resets the board by the line that most boards have for it. One that has none, or a port without lines, stays as it is. */
  reset(): Promise<void>
  close(): Promise<void>
}

export interface SerialLinkListener {
  /** What has come, one character for each byte. */
  onData(text: string): void
  /** The port is gone: the cable was pulled, or the printer switched off. Not told after `close`. */
  onGone(why: string): void
}

export interface SerialSettings {
  readonly device: string
  readonly baud: number
}

export type OpenSerialLink = (settings: SerialSettings, listener: SerialLinkListener) => Promise<SerialLink>

/** How long the line is let drop: boards see it through a capacitor. */
const RESET_MS = 250
const READ_BYTES = 16 * 1024

/**
 * Opens a serial port for this process alone.
 *
 * Bytes are read and written here and not by the package's stream, which does both on Node's few worker threads: behind a picture
 * that is being resized, or behind a name look-up without a network, the printer would run dry. The package opens the port,
 * sets its speed and says when there is something to read.
 *
 * @throws what the system says when the port cannot be opened
 */
export const openSerialLink: OpenSerialLink = async ({ device, baud }, listener) => {
  // Letting the line drop at the end would reset most boards, and with them a print from the card.
  const options = { path: device, baudRate: baud, lock: true, hupcl: false }
  const port = await SerialPort.binding.open(options)
  if (!('poller' in port) || port.fd === null) {
    await port.close()
    throw new Error('serial printers are supported on Linux and macOS')
  }
  const { poller, fd } = port
  // What came before we listened answers nothing that we ask.
  await port.flush()
  const buffer = Buffer.alloc(READ_BYTES)
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await port.close().catch(() => closeSync(fd))
  }

  function lose(error: unknown): void {
    if (isClosed) return
    void close().catch(() => undefined)
    listener.onGone(error instanceof Error ? error.message : String(error))
  }

  function listen(): void {
    poller.once('readable', (error) => {
      if (isClosed) return
      if (error) return lose(error)
      const text = readAll()
      if (text === undefined) return
      if (text !== '') listener.onData(text)
      if (!isClosed) listen()
    })
  }

  /** Undefined when the port is gone. */
  function readAll(): string | undefined {
    try {
      const count = readSync(fd, buffer, 0, READ_BYTES, null)
      if (count > 0) return buffer.toString('latin1', 0, count)
      lose(new Error('hung up'))
    } catch (error) {
      if (isAgain(error)) return ''
      lose(error)
    }
    return undefined
  }

  listen()
  return {
    write: (text) => {
      if (isClosed) return
      try {
        writeSync(fd, text, null, 'latin1')
      } catch (error) {
        // A full buffer of the system means that the printer has stopped listening long ago. What is lost is asked for again.
        if (!isAgain(error)) queueMicrotask(() => lose(error))
      }
    },
    reset: async () => {
      if (isClosed) return
      try {
        await port.set({ dtr: false, rts: false })
        await new Promise((resolve) => setTimeout(resolve, RESET_MS))
        await port.set({ dtr: true, rts: true })
      } catch {
        // A port without these lines.
      }
    },
    close,
  }
}

function isAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR')
}

/** The serial devices of this machine, by the names that stay the same when they are plugged elsewhere, where there are such. */
export async function listSerialDevices(): Promise<string[]> {
  const byId = await namesIn('/dev/serial/by-id', () => true)
  if (byId.length > 0) return byId
  // Asks udev, which is not everywhere.
  const known = await SerialPort.list().catch(() => [])
  if (known.length > 0) return known.map(({ path }) => path)
  return namesIn('/dev', (name) => /^tty(USB|ACM)\d+$|^cu\.usb/.test(name))
}

async function namesIn(folder: string, fits: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(fits).map((name) => `${folder}/${name}`)
}
