import { mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openLineFile, type LineFile } from './file-client.js'

const folder = mkdtempSync(join(tmpdir(), 'printwarden-lines-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(content: string): string {
  const path = join(folder, `${Math.random()}.gcode`)
  writeFileSync(path, content)
  return path
}

/** Everything up to the end, waiting where the disk is slower. */
async function readAll(path: string, afterOpen: () => void = () => undefined) {
  let goOn: () => void = () => undefined
  const file = await openLineFile(path, () => goOn())
  afterOpen()
  const lines: string[] = []
  let position = 0
  let laters = 0
  for (;;) {
    const more = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const line: ReturnType<LineFile['next']> = file.next()
    if (line === 'later') {
      laters += 1
      await more
    } else if (typeof line === 'string') {
      await file.close()
      return { lines, position, end: line, size: file.size, laters }
    } else {
      lines.push(line.text)
      position = line.end
    }
  }
}

test.each([
  ['', []],
  ['G28', ['G28']],
  ['G28\n', ['G28']],
  ['G28\r\n\nG1 X1', ['G28\r', '', 'G1 X1']],
])('%j', async (content, lines) => {
  expect(await readAll(fileOf(content))).toMatchObject({ lines, position: content.length, end: 'end' })
})

test('a long file comes whole, in order, in pieces, though it was removed when it began', async () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `G1 X${index} Y${index * 2}`)
  const content = `${lines.join('\n')}\n`
  const path = fileOf(content)
  const read = await readAll(path, () => unlinkSync(path))
  expect(read.lines).toEqual(lines)
  expect(read).toMatchObject({ end: 'end', position: content.length, size: content.length })
  expect(read.laters).toBeGreaterThan(0)
})

test('bytes beyond ASCII stay what they are', async () => {
  const { lines } = await readAll(fileOf('M117 Größe\n'))
  expect(Buffer.from(lines[0] ?? '', 'latin1').toString('utf8')).toBe('M117 Größe')
})

test('a file that shrinks meanwhile is broken, not at its end', async () => {
  const path = fileOf('G1 X1\n'.repeat(100_000))
  expect((await readAll(path, () => truncateSync(path, 70_000))).end).toBe('broken')
})

test('a line without an end is broken', async () => {
  expect((await readAll(fileOf('x'.repeat(3_000_000)))).end).toBe('broken')
})

test.each(['GCDE\x01\x00\x00', 'PK\x03\x04', 'G28\n\x00\n'])('%j is no plain G-code', async (content) => {
  await expect(openLineFile(fileOf(content), () => undefined)).rejects.toMatchObject({ code: 'rejected' })
})
