import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { buildApp } from '../app.js'
import type { BlobStore } from '../ports.js'
import { addPrint } from '../printers/testing.js'
import { startTestServer, type TestServer } from '../testing.js'

// A server that is killed after the rows have gone and before the pictures have: it goes on after its start.

const folder = await mkdtemp(join(tmpdir(), 'printwarden-removal-'))
let blobs: BlobStore
let server: TestServer

beforeAll(async () => {
  blobs = await openDiskBlobs(folder)
  const dead = (): Promise<void> => Promise.reject(new Error('killed'))
  server = await startTestServer({ blobs: { ...blobs, remove: dead, removeAll: dead } })
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

test.each([
  { what: 'a print', pathOf: ({ print }: { print: number }) => `/api/v1/prints/${print}/` },
  { what: 'a printer', pathOf: ({ printer }: { printer: number }) => `/api/v1/printers/${printer}/` },
])('pictures of $what go after the next start', async ({ pathOf }) => {
  const { db } = server.database
  const { printer } = await server.addPrinter(server.owner.id)
  const poster_key = `posters/of-${printer.id}.jpg`
  const print = await addPrint(db, printer, { state: 'finished', finished_at: 1, poster_key })
  const other = await addPrint(db, printer, { state: 'finished', finished_at: 1 })
  const keys = [poster_key, `prints/${print.id}/alerts/1.jpg`]
  const kept = `prints/${other.id}0/alerts/1.jpg`
  for (const key of [...keys, kept]) await blobs.put(key, new Uint8Array([0xff, 0xd8]), 'image/jpeg')

  const path = pathOf({ print: print.id, printer: printer.id })
  expect((await server.call('DELETE', path)).status).toBe(200)
  expect((await server.call('GET', path)).status).toBe(404)
  for (const key of keys) expect(await blobs.get(key), key).toBeDefined()

  const again = await buildApp({ ...server, blobs })
  await again.http.close()
  for (const key of keys) expect(await blobs.get(key), key).toBeUndefined()
  expect(await blobs.get(kept)).toBeDefined()
  expect(await db.selectFrom('doomed_blobs').selectAll().execute()).toEqual([])
})
