import { spacedCode, timeLeft } from '../link/countdown.js'
import { qrCodeLines } from '../link/qr-code.js'
import { linkPage, reachablePage } from '../link/server-address.js'
import type { Terminal } from './terminal.js'

/** Shows a code in digits, and as a QR code that opens the page on which it is entered. */
export function showCode(
  terminal: Terminal,
  link: { server: string; code: string; printerId: number | undefined; ownAddress: string | undefined },
): void {
  const page = linkPage(link.server, link.code, link.printerId)
  const { style } = terminal
  terminal.say()
  terminal.say(`  Enter this code in the dashboard, under “Add a printer”:   ${style.bold(spacedCode(link.code))}`)
  terminal.say(`  or open ${page}`)
  terminal.say()
  const own = reachablePage(page, link.ownAddress)
  if (process.stdout.isTTY) for (const line of qrCodeLines(own)) terminal.say(`  ${line}`)
  if (process.stdout.isTTY && own !== page) terminal.say(style.dim(`  The QR code opens ${own}`))
}

/** The time that is left, on a line that is written over. */
export function showWaiting(terminal: Terminal, leftMs: number, trouble: string | undefined): void {
  const why = trouble === undefined ? '' : terminal.style.warn(`  (${trouble}; trying on)`)
  terminal.status(`  Waiting for you … ${timeLeft(leftMs)} left${why}`)
}
