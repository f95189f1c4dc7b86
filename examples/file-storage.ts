import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TokenStorage } from '@printwarden/sdk/oauth'

/** Keeps the tokens of a program in a file that only its user can read. One program at a time may use it. */
export function fileStorage(path: string): TokenStorage {
  async function read(): Promise<Record<string, string>> {
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
      throw error
    }
  }

  /** All or nothing, so that losing power does not lose the sign-in. */
  async function write(values: Record<string, string>): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, JSON.stringify(values), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  return {
    get: async (key) => (await read())[key],
    set: async (key, value) => write({ ...(await read()), [key]: value }),
    async remove(key) {
      const { [key]: _gone, ...others } = await read()
      await write(others)
    },
  }
}
