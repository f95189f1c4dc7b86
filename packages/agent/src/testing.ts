/** For tests that cross a real socket: asks until `check` holds. Rejects with what it waited for. */
export async function until(what: string, check: () => boolean, timeoutMs = 8_000): Promise<void> {
  const endMs = performance.now() + timeoutMs
  while (!check()) {
    if (performance.now() > endMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
