import type { Style } from '../cli/style.js'
import type { HostErrorCode } from '../host.js'
import { plainText } from '../log/plain-text.js'

/** The outcome of one check of the doctor. */
export interface Finding {
  readonly ok: boolean
  /** What was checked: `server`, `printer mk3: token`. */
  readonly subject: string
  /** What was found. */
  readonly text: string
  /** What to do about it; only where something is wrong, or works but is not as it should be. */
  readonly mend?: string
}

/** Beyond this the server no longer believes the agent's time. */
const MAX_OFFSET_S = 60
/** A difference that the network's delay may well make. */
const SMALL_OFFSET_S = 2

export function findGood(subject: string, text: string): Finding {
  return { ok: true, subject, text }
}

export function findBad(subject: string, text: string, mend: string): Finding {
  return { ok: false, subject, text, mend }
}

/** The finding about the clock. `offsetS` is how far it is ahead of the server's. */
export function clockFinding(offsetS: number): Finding {
  const distance = Math.abs(offsetS)
  if (distance <= SMALL_OFFSET_S) return findGood('clock', 'agrees with the server')
  const where = `is ${Math.round(distance)} s ${offsetS > 0 ? 'ahead of' : 'behind'} the server`
  if (distance <= MAX_OFFSET_S) return findGood('clock', where)
  return findBad('clock', where, 'set the time of this machine, best by a time server: timedatectl set-ntp true')
}

/** The finding about an answer of the server to a printer's token. */
export function tokenFinding(subject: string, status: number, printer: string | undefined): Finding {
  if (status === 200)
    return findGood(subject, printer === undefined ? 'accepted' : `accepted, for the printer "${printer}"`)
  if (status === 401) {
    return findBad(subject, 'refused', 'take the auth_token that the dashboard shows for this printer')
  }
  return findBad(subject, `the server answers ${status}`, 'look whether url is the address of a Printwarden server')
}

/** A finding as one or two lines of text. What works but has something to mend is neither `ok` nor `FAIL`. */
export function findingLines({ ok, subject, text, mend }: Finding, style: Style): string[] {
  const mark = ok ? (mend === undefined ? style.good('ok  ') : style.warn('warn')) : style.bad('FAIL')
  // Printers, hosts and cameras say some of it.
  const line = `${mark}  ${style.bold(subject)}: ${plainText(text)}`
  return mend === undefined ? [line] : [line, `      ${style.dim('→')} ${mend}`]
}

/** What to do about a host that does not answer, or lets nobody in. `code` is that of its error, where it told one. */
export function hostMend(
  { name, host }: { name: string; host: { host: string } },
  code: HostErrorCode | undefined,
): string {
  const section = `correct its section [printer ${name}]`
  if (host.host === 'serial') {
    return `switch the printer on, look at its cable, let no other program use its device, put this user into the group dialout, or ${section}`
  }
  if (code === 'unauthorized') {
    return 'take an API key of a user who may control the printer, from the settings of the host; or link this printer again'
  }
  return `start the host, or ${section}`
}
