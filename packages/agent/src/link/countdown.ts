/** A time left as `14:05`. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Six digits as people read them: `123 456`. */
export function spacedCode(code: string): string {
  return code.replace(/^(\d{3})(\d{3})$/, '$1 $2')
}
