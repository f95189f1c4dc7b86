/** A printer that the configuration already has. */
export interface KnownPrinter {
  /** The name of its section, without the word `printer`. */
  readonly name: string
  /** Its number at the server, while its token is accepted; undefined when the token is refused. */
  readonly id: number | undefined
  /** Where its host is, such as `http://127.0.0.1:5000` or `/dev/ttyUSB0`. */
  readonly place: string | undefined
}

/** The printer that was linked just now. */
export interface LinkedPrinter {
  readonly id: number
  /** As the server calls it. */
  readonly name: string
  readonly place: string | undefined
}

/**
 * The section that a linked printer belongs into: the one that was asked for, else the one that is this printer already, else
 * the one with the same host whose token no longer counts; else a new one, named after the printer.
 */
export function sectionFor(linked: LinkedPrinter, known: readonly KnownPrinter[], given: string | undefined): string {
  if (given !== undefined) return given
  const same = known.find(({ id }) => id === linked.id)
  if (same !== undefined) return same.name
  const lost = known.find(({ id, place }) => id === undefined && place !== undefined && place === linked.place)
  if (lost !== undefined) return lost.name
  return freeName(sectionName(linked.name), known)
}

function freeName(wanted: string, known: readonly KnownPrinter[]): string {
  const isTaken = (name: string): boolean => known.some((one) => one.name === name)
  if (!isTaken(wanted)) return wanted
  let number = 2
  while (isTaken(`${wanted}-${number}`)) number += 1
  return `${wanted}-${number}`
}

const MAX_NAME = 40

/** A name that can stand in a section's head: small letters, digits and dashes. */
export function sectionName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'printer' : plain
}
