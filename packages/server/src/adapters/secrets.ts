import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import type { Secrets } from '../ports.js'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Everything that is done with the secret key `key`. */
export function openSecrets(key: string): Secrets {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', key, 'printwarden', use, 32))
  const signKey = derive('sign')
  const encryptKey = derive('encrypt')
  const lookUpKey = derive('look-up')

  const sign = (text: string): string => createHmac('sha256', signKey).update(text).digest('base64url')

  return {
    sign,
    verify(text, signature) {
      const expected = Buffer.from(sign(text))
      const given = Buffer.from(signature)
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
    encrypt(text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, encryptKey, iv)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64url')
      const decipher = createDecipheriv(CIPHER, encryptKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
    keyedHash: (text) => createHmac('sha256', lookUpKey).update(text).digest('hex'),
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    newToken: (bytes) => randomBytes(bytes).toString('hex'),
  }
}

/** The key in `file`, made on the first start. Only its owner may read it. */
export async function secretKeyFile(file: string): Promise<string> {
  const existing = await readKey(file)
  if (existing !== undefined) return existing
  const partial = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(partial, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // A link takes the name only when it is free, so of two starts one key stays.
    await link(partial, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(partial)
  }
  const made = await readKey(file)
  if (made === undefined) throw new Error(`the secret key could not be kept in ${file}`)
  return made
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim()
    if (key.length < 32) throw new Error(`the secret key in ${file} is damaged`)
    return key
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
