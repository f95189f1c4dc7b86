/**
 * Where tokens, and sign-ins that are under way, are kept. Several places may hold one storage (the tabs of a browser, for example): what one of
 * them writes the others must read.
 */
export interface TokenStorage {
  get(key: string): string | undefined | Promise<string | undefined>
  set(key: string, value: string): void | Promise<void>
  remove(key: string): void | Promise<void>
}

/** Keeps everything in memory: gone with the page or the program. */
export function memoryStorage(): TokenStorage {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  }
}

/**
 * Keeps everything in a storage of the browser. With `localStorage` the user stays signed in, in every tab; with `sessionStorage` in
 * this tab alone, until it is closed. Any script of the page's origin can read either.
 *
 * @example
 * createOAuth({ …, storage: webStorage(localStorage) })
 */
export function webStorage(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): TokenStorage {
  return {
    get: (key) => storage.getItem(key) ?? undefined,
    set: (key, value) => storage.setItem(key, value),
    remove: (key) => storage.removeItem(key),
  }
}
