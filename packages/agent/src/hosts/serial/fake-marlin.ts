import type { OpenSerialLink, SerialLinkListener } from './client.js'
import { checksumOf } from './line-protocol.js'

/** A Marlin at the other end of a wire in memory, which does what the test says. */
export interface FakeMarlin {
  readonly openLink: OpenSerialLink
  /** Every line that came, as it came. */
  readonly received: string[]
  /** The commands that were carried out, without number and checksum. */
  readonly commands: string[]
  /** How long a line takes that is no query, in ms. */
  lineMs: number
  /** Commands that are taken, but not answered. */
  silentOn: RegExp | undefined
  /** Whether there is a device at all. */
  isPluggedIn: boolean
  capabilities: string
  /** What it says to M105. */
  temperatures: string
  /** Whether it has stopped by M112: it does nothing until it is reset. */
  isHalted: boolean
  /** Whether it knows M524. */
  hasCancel: boolean
  /** What the firmware says by itself. */
  say(...lines: string[]): void
  /** The next `count` lines arrive damaged. */
  damage(count: number): void
  startSd(name: string): void
  finishSd(): void
  unplug(): void
  reset(): void
  stop(): void
}

const CAPABILITIES = 'AUTOREPORT_TEMP AUTOREPORT_POS AUTOREPORT_SD_STATUS EMERGENCY_PARSER'
const REPORT_MS = 15
const TEMPERATURES = 'T:21.30 /0.00 B:20.10 /0.00 @:0 B@:0'
const QUERY = /^(M105|M110|M114|M115|M118|M154|M155|M20|M23|M24|M25|M26|M27|M400|M524|M876)\b/

interface Card {
  readonly name: string
  byte: number
  isPaused: boolean
}

export function startFakeMarlin(): FakeMarlin {
  let listener: SerialLinkListener | undefined
  let expected = 0
  let toDamage = 0
  let card: Card | undefined
  let reportsSd = false
  let work: Promise<void> = Promise.resolve()
  const timers = setInterval(() => report(), REPORT_MS)

  function say(...lines: string[]): void {
    listener?.onData(lines.map((line) => `${line}\n`).join(''))
  }

  function report(): void {
    if (card && !card.isPaused) card.byte = Math.min(card.byte + 10, 990)
    if (reportsSd) say(sdLine())
  }

  const sdLine = (): string => (card ? `SD printing byte ${card.byte}/1000` : 'Not SD printing')

  function take(raw: string): void {
    fake.received.push(raw)
    const line = toDamage > 0 ? `${raw.slice(0, 3)}#${raw.slice(4)}` : raw
    if (toDamage > 0) toDamage -= 1
    const numbered = /^N(\d+) (.*)\*(\d+)$/.exec(line)
    if (fake.isHalted) return
    if (/^M112\b/.test(line)) {
      fake.isHalted = true
      return say('Error:Printer halted. kill() called!')
    }
    if (!numbered) return line.startsWith('M') ? carryOut(line) : askAgain('checksum mismatch')
    const [, number, command = '', checksum] = numbered
    if (checksumOf(line.slice(0, line.lastIndexOf('*'))) !== Number(checksum)) return askAgain('checksum mismatch')
    if (/^M110\b/.test(command)) expected = Number(number)
    if (Number(number) !== expected) return askAgain('Line Number is not Last Line Number+1')
    expected += 1
    carryOut(command)
  }

  function askAgain(why: string): void {
    say(`Error:${why}, Last Line: ${expected - 1}`, `Resend: ${expected}`, 'ok')
  }

  function carryOut(command: string): void {
    fake.commands.push(command)
    if (fake.silentOn?.test(command)) return
    work = work.then(async () => {
      if (!QUERY.test(command) && fake.lineMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.lineMs))
      else await new Promise((resolve) => setImmediate(resolve))
      say(...answerTo(command))
    })
  }

  function answerTo(command: string): string[] {
    const name = /^[A-Z]\d+/.exec(command)?.[0] ?? ''
    switch (name) {
      case 'M115':
        return [
          'FIRMWARE_NAME:Marlin 2.1.2 (Fake) SOURCE_CODE_URL:example.test PROTOCOL_VERSION:1.0',
          ...fake.capabilities.split(' ').map((capability) => `Cap:${capability}:1`),
          'ok',
        ]
      case 'M105':
        return [`ok ${fake.temperatures}`]
      case 'M114':
        return ['X:1.00 Y:2.00 Z:0.40 E:0.00 Count X:80 Y:160 Z:160', 'ok']
      case 'M27':
        if (/ S\d/.test(command)) {
          reportsSd = true
          return ['ok']
        }
        if (command.endsWith(' C'))
          return [card ? `Current file: SHORT.GCO ${card.name}` : 'Current file: (no file)', 'ok']
        return [sdLine(), 'ok']
      case 'M20':
        return ['Begin file list', 'CUBE~1.GCO 1000 a long name.gcode', 'BIN/BOAT.GCO 2000', 'End file list', 'ok']
      case 'M23':
        card = { name: command.slice(4), byte: 0, isPaused: true }
        return [`File opened: ${command.slice(4)} Size: 1000`, 'File selected', 'ok']
      case 'M24':
        if (card) card.isPaused = false
        return ['ok']
      case 'M25':
        if (card) card.isPaused = true
        return ['ok']
      case 'M26':
        card = undefined
        return ['ok']
      case 'M524':
        if (!fake.hasCancel) return ['echo:Unknown command: "M524"', 'ok']
        card = undefined
        return ['ok']
      default:
        return /^[GMT]\d/.test(command) ? ['ok'] : [`echo:Unknown command: "${command}"`, 'ok']
    }
  }

  const fake: FakeMarlin = {
    openLink: async (_settings, opened) => {
      if (!fake.isPluggedIn) throw new Error('Error: No such file or directory, cannot open /dev/ttyFAKE')
      listener = opened
      let rest = ''
      return {
        write: (text) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) if (line !== '') take(line)
        },
        reset: async () => {
          fake.isHalted = false
          fake.reset()
        },
        close: async () => {
          if (listener === opened) listener = undefined
        },
      }
    },
    received: [],
    commands: [],
    lineMs: 0,
    silentOn: undefined,
    isPluggedIn: true,
    capabilities: CAPABILITIES,
    temperatures: TEMPERATURES,
    isHalted: false,
    hasCancel: true,
    say,
    damage: (count) => (toDamage = count),
    startSd: (name) => {
      card = { name, byte: 10, isPaused: false }
      say(`File opened: ${name} Size: 1000`, 'File selected')
    },
    finishSd: () => {
      card = undefined
      say('Done printing file')
    },
    unplug: () => {
      fake.isPluggedIn = false
      const gone = listener
      listener = undefined
      gone?.onGone('bad file descriptor')
    },
    reset: () => {
      expected = 0
      card = undefined
      say('start', 'Marlin 2.1.2', '\x80\xff', 'echo: Last Updated: 2024-02-12', 'echo:SD card ok')
    },
    stop: () => clearInterval(timers),
  }
  return fake
}
