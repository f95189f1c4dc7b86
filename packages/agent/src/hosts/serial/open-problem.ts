/** Why a port could not be opened, and what is there instead or what to do. */
export async function openProblem(error: unknown, listDevices: () => Promise<string[]>): Promise<string> {
  const text = error instanceof Error ? error.message : String(error)
  if (/no such file|cannot find|ENOENT/i.test(text)) {
    const devices = await listDevices().catch(() => [])
    return devices.length === 0
      ? 'no such device, and no other serial device is there: is the printer on and its cable plugged in?'
      : `no such device; there ${devices.length === 1 ? 'is' : 'are'} ${devices.join(', ')}`
  }
  if (/permission|EACCES/i.test(text)) return 'this user may not open it: add the user to the group dialout'
  if (/lock|busy|EBUSY/i.test(text)) return 'another program has it open; only one can use it'
  if (/inappropriate|ENOTTY|EISDIR|is a directory/i.test(text)) return 'it is no serial device'
  return text.replace(/^Error:\s*/, '')
}
