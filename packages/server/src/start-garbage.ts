import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then what came with the start is done, such as the agents of a household that connect anew. */
const AFTER_MS = 5_000

/**
 * Collects what reading the modules has left, once: 10 to 25 MB, which a server with little to do would keep, since nothing makes it
 * collect its old memory.
 */
export function collectStartGarbage(): void {
  setTimeout(() => {
    // Node has this for itself only with a flag at its own start, which programs cannot set for all the ways they are started.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    setFlagsFromString('--no-expose-gc')
    collect()
  }, AFTER_MS).unref()
}
