import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { BlobStore } from '../ports.js'

/** What every BlobStore must do. `open` hands over an empty store for each test. */
export function blobStoreContract(open: () => Promise<BlobStore>): void {
  const bytesOf = (content: string): Uint8Array => new TextEncoder().encode(content)

  async function read(store: BlobStore, key: string): Promise<string | undefined> {
    const blob = await store.get(key)
    return blob && new TextDecoder().decode(blob.bytes)
  }

  async function storeWith(...keys: string[]): Promise<BlobStore> {
    const store = await open()
    for (const key of keys) await store.put(key, bytesOf(key), 'image/jpeg')
    return store
  }

  test('hands back bytes and content type', async () => {
    const store = await open()
    await store.put('a/b/c.json', bytesOf('[]'), 'application/json')
    expect(await read(store, 'a/b/c.json')).toBe('[]')
    expect((await store.get('a/b/c.json'))?.contentType).toBe('application/json')
  })

  test('the second put replaces the first', async () => {
    const store = await storeWith('a.jpg')
    await store.put('a.jpg', bytesOf('second'), 'image/jpeg')
    expect(await read(store, 'a.jpg')).toBe('second')
  })

  test('stores what is new, in a folder that is not there yet too', async () => {
    const store = await storeWith('a/b.jpg')
    for (const key of ['a/c.jpg', 'new/folder/d.jpg']) {
      await store.putNew(key, bytesOf(key), 'image/jpeg')
      expect(await read(store, key)).toBe(key)
    }
    await expect(store.putNew('a/e.jpg', bytesOf('e'), 'image/png')).rejects.toThrow()
    expect((await store.list('')).map(({ key }) => key)).toEqual(['a/b.jpg', 'a/c.jpg', 'new/folder/d.jpg'])
  })

  test('puts of one key at the same time leave one of them whole', async () => {
    const store = await open()
    const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000))
    await Promise.all(contents.map((content) => store.put('new/x.jpg', bytesOf(content), 'image/jpeg')))
    expect(contents).toContain(await read(store, 'new/x.jpg'))
  })

  test('an absent key is undefined, and so is a folder', async () => {
    const store = await storeWith('a/b.jpg')
    for (const key of ['missing.jpg', 'a/missing.jpg', 'a', 'a/b.jpg/c.jpg']) {
      expect(await store.get(key)).toBeUndefined()
      expect(await store.stream(key)).toBeUndefined()
      expect(await store.find(key)).toBeUndefined()
    }
  })

  test('streams the whole, or a part, with the size of the whole', async () => {
    const store = await open()
    await store.put('a.jpg', bytesOf('0123456789'), 'image/jpeg')
    const whole = await store.stream('a.jpg')
    const part = await store.stream('a.jpg', { start: 2, end: 4 })
    expect(whole && (await text(whole.body))).toBe('0123456789')
    expect(part && (await text(part.body))).toBe('234')
    expect(part).toMatchObject({ size: 10, contentType: 'image/jpeg' })
    expect(await store.find('a.jpg')).toEqual({ size: 10, contentType: 'image/jpeg' })
  })

  test('a stream that nobody reads can be destroyed', async () => {
    const store = await storeWith('a.jpg')
    const blob = await store.stream('a.jpg')
    blob?.body.destroy()
    await expect(blob && text(blob.body)).rejects.toThrow()
    expect(await read(store, 'a.jpg')).toBe('a.jpg')
  })

  test('what is larger than the pieces it is stored in comes back as it was', async () => {
    const store = await open()
    const part = Buffer.alloc(1_000_003, 'part')
    const bytes = Buffer.concat(Array.from({ length: 13 }, (_, index) => Buffer.from(part).fill(index + 65, 0, 9)))
    const pieces = Array.from({ length: 14 }, (_, index) => bytes.subarray(index * 990_000, (index + 1) * 990_000))
    const options = { contentType: 'application/octet-stream', maxBytes: bytes.length }
    expect(await store.putStream('a.bin', Readable.from(pieces), options)).toEqual({ size: bytes.length })
    expect(bytes.equals((await store.get('a.bin'))?.bytes ?? Buffer.alloc(0))).toBe(true)
    await expect(
      store.putStream('a.bin', Readable.from(pieces), { ...options, maxBytes: bytes.length - 1 }),
    ).rejects.toMatchObject({ code: 'too_large' })
    expect((await store.list('')).map(({ size }) => size)).toEqual([bytes.length])
  })

  const BINARY = 'application/octet-stream'
  /** Chunks, then perhaps a failure, as a connection that is cut off. */
  async function* chunks(content: readonly string[], failure?: Error) {
    for (const chunk of content) yield bytesOf(chunk)
    if (failure !== undefined) throw failure
  }
  const streamOf = (content: readonly string[], failure?: Error) => Readable.from(chunks(content, failure))

  test('stores a stream and says how long it was', async () => {
    const store = await open()
    const put = await store.putStream('new/a.bin', streamOf(['01', '234', '']), { contentType: BINARY, maxBytes: 5 })
    expect(put).toEqual({ size: 5 })
    expect(await read(store, 'new/a.bin')).toBe('01234')
    await store.putStream('new/a.bin', streamOf([]), { contentType: BINARY, maxBytes: 0 })
    expect(await read(store, 'new/a.bin')).toBe('')
  })

  test.each([
    { name: 'a stream that fails', open: () => streamOf(['0123'], new Error('cut off')), error: /cut off/ },
    { name: 'a stream above the cap', open: () => streamOf(['0123', '4567', '89']), error: /larger than 9 bytes/ },
    { name: 'an abort', open: () => streamOf(['0']), signal: AbortSignal.abort(new Error('enough')), error: /abort/ },
  ])('$name leaves what was there', async ({ open: openSource, signal, error }) => {
    const store = await open()
    await store.put('old.bin', bytesOf('old'), BINARY)
    for (const key of ['old.bin', 'new/b.bin']) {
      const options = { contentType: BINARY, maxBytes: 9, ...(signal && { signal }) }
      const source = openSource()
      await expect(store.putStream(key, source, options)).rejects.toThrow(error)
      expect(source.destroyed).toBe(true)
    }
    expect(await read(store, 'old.bin')).toBe('old')
    expect(await read(store, 'new/b.bin')).toBeUndefined()
  })

  test('an abort in the middle leaves nothing', async () => {
    const store = await open()
    const abort = new AbortController()
    async function* endless() {
      for (let sent = 0; ; sent += 1) {
        if (sent === 3) abort.abort(new Error('enough'))
        await new Promise((resolve) => setImmediate(resolve))
        yield bytesOf('x')
      }
    }
    const options = { contentType: BINARY, maxBytes: 1e9, signal: abort.signal }
    await expect(store.putStream('a.bin', Readable.from(endless()), options)).rejects.toThrow()
    expect(await store.get('a.bin')).toBeUndefined()
  })

  test('a stream under a key that is none is refused', async () => {
    const store = await open()
    const options = { contentType: BINARY, maxBytes: 9 }
    await expect(store.putStream('../x', streamOf(['x']), options)).rejects.toThrow()
    await expect(store.putStream('a.jpg', streamOf(['x']), options)).rejects.toThrow()
  })

  test('a copy stays when the first key is replaced or removed', async () => {
    const store = await storeWith('a/1.jpg')
    expect(await store.copy('a/1.jpg', 'new/2.jpg')).toBe(true)
    await store.put('a/1.jpg', bytesOf('second'), 'image/jpeg')
    expect(await read(store, 'new/2.jpg')).toBe('a/1.jpg')
    await store.remove('a/1.jpg')
    expect(await read(store, 'new/2.jpg')).toBe('a/1.jpg')
  })

  test('copying twice, over something else, or what is absent', async () => {
    const store = await storeWith('a/1.jpg', 'b.jpg')
    await store.copy('a/1.jpg', 'b.jpg')
    expect(await store.copy('a/1.jpg', 'b.jpg')).toBe(true)
    expect(await read(store, 'b.jpg')).toBe('a/1.jpg')
    expect(await store.copy('missing.jpg', 'b.jpg')).toBe(false)
    expect(await store.copy('a', 'c')).toBe(false)
    expect(await read(store, 'b.jpg')).toBe('a/1.jpg')
    await expect(store.copy('a/1.jpg', 'a/1.png')).rejects.toThrow()
    await expect(store.copy('a/1.jpg', '../1.jpg')).rejects.toThrow()
  })

  test('copies leave nothing but themselves', async () => {
    const store = await storeWith('a/1.jpg')
    await store.copy('a/1.jpg', 'b.jpg')
    await store.copy('a/1.jpg', 'b.jpg')
    expect((await store.list('')).map(({ key }) => key)).toEqual(['a/1.jpg', 'b.jpg'])
  })

  test.each([
    { prefix: 'prints/7/', keys: ['prints/7/a.jpg', 'prints/7/b/c.jpg'] },
    { prefix: 'prints/7', keys: ['prints/7/a.jpg', 'prints/7/b/c.jpg', 'prints/70/a.jpg'] },
    { prefix: 'prints/7/a', keys: ['prints/7/a.jpg'] },
    { prefix: 'nothing/', keys: [] },
  ])('list("$prefix") shows what starts with it, with sizes', async ({ prefix, keys }) => {
    const store = await storeWith('prints/70/a.jpg', 'prints/7/b/c.jpg', 'prints/7/a.jpg', 'other.jpg')
    expect(await store.list(prefix)).toEqual(keys.map((key) => ({ key, size: key.length })))
  })

  test('a list does not leave the store', async () => {
    const store = await storeWith('a.jpg')
    await expect(store.list('../')).rejects.toThrow()
  })

  test('remove takes one key, twice without complaint', async () => {
    const store = await storeWith('a/1.jpg', 'a/2.jpg')
    await store.remove('a/1.jpg')
    await store.remove('a/1.jpg')
    expect(await read(store, 'a/1.jpg')).toBeUndefined()
    expect(await read(store, 'a/2.jpg')).toBe('a/2.jpg')
  })

  test.each([
    { prefix: 'prints/7/', removed: ['prints/7/a.jpg', 'prints/7/b/c.jpg'], kept: ['prints/70/a.jpg', 'other/7.jpg'] },
    { prefix: 'prints/7', removed: ['prints/7/a.jpg', 'prints/70/a.jpg'], kept: ['prints/8/a.jpg'] },
    { prefix: '', removed: ['a.jpg', 'b/c.jpg'], kept: [] },
    { prefix: 'nothing/here/', removed: [], kept: ['a.jpg'] },
  ])('removeAll("$prefix") stops at the prefix', async ({ prefix, removed, kept }) => {
    const store = await storeWith(...removed, ...kept)
    await store.removeAll(prefix)
    for (const key of removed) expect(await read(store, key)).toBeUndefined()
    for (const key of kept) expect(await read(store, key)).toBe(key)
  })

  test('a folder that was emptied can be filled again', async () => {
    const store = await storeWith('a/b/c.jpg')
    await store.removeAll('a/')
    await store.put('a/b/c.jpg', bytesOf('again'), 'image/jpeg')
    expect(await read(store, 'a/b/c.jpg')).toBe('again')
  })

  test.each(['', '/etc/passwd', '../x', 'a/../../x', 'a//b', '.hidden', 'a\\b', 'a\0b', 'a/./b'])(
    'refuses the key %j',
    async (key) => {
      const store = await open()
      await expect(store.put(key, bytesOf('x'), 'application/octet-stream')).rejects.toThrow()
      await expect(store.get(key)).rejects.toThrow()
      await expect(store.stream(key)).rejects.toThrow()
    },
  )

  test('removeAll does not leave the store', async () => {
    const store = await storeWith('a.jpg')
    await expect(store.removeAll('../')).rejects.toThrow()
    await expect(store.removeAll('/')).rejects.toThrow()
  })

  test('a content type other than the key says is refused', async () => {
    const store = await open()
    await expect(store.put('a.jpg', bytesOf('x'), 'text/html')).rejects.toThrow()
  })

  test('ping resolves when bytes can be written', async () => {
    const store = await open()
    await expect(store.ping()).resolves.toBeUndefined()
  })
}
