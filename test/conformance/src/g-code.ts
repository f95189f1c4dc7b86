import { randomUUID } from 'node:crypto'

// What the cases about stored G-code have in common.

/** A small file as a slicer writes it. */
export const G_CODE = '; generated for a test\nG28\nG1 X10 Y10 F3000\nM84\n'

/** A name that nothing on the server has yet. */
export function unusedName(name: string): string {
  return `${randomUUID().slice(0, 8)} ${name}`
}

/** The form in which a file is uploaded. */
export function uploadForm(
  filename: string,
  content: string | Uint8Array<ArrayBuffer> = G_CODE,
  fields = {},
): FormData {
  const form = new FormData()
  form.set('filename', filename)
  for (const [name, value] of Object.entries<string>(fields)) form.set(name, value)
  form.set('file', new Blob([content], { type: 'application/octet-stream' }), filename)
  return form
}
