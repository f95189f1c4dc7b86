/** Whether colours are wanted: on a terminal, unless `NO_COLOR` says otherwise. */
export function wantsColours(stream: { isTTY?: boolean }): boolean {
  return stream.isTTY === true && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb'
}

/** The user who called `sudo`, when this program runs by it. */
export function callerOfSudo(): string | undefined {
  return process.env.SUDO_USER
}
