/** How long a case may take, in turn: what a sound program cannot do in that time says nothing about a broken one. */
const LIMITS_MS = [3_000, 12_000, 40_000]

/** Runs a case against the broken or the sound program; what it did instead, or undefined when the case passed. */
export type Trial = (id: string, broken: boolean, limitMs: number) => Promise<string | undefined>

/**
 * Which of the cases catch the mutation: those that fail with it and pass without it, in the same time. So a machine that is busy
 * with something else is not taken for a catch.
 */
export async function catchingCases(ids: readonly string[], trial: Trial): Promise<string[]> {
  const caught: string[] = []
  for (const id of ids) if (await catches(id, trial)) caught.push(id)
  return caught
}

async function catches(id: string, trial: Trial): Promise<boolean> {
  for (const limitMs of LIMITS_MS) {
    if ((await trial(id, true, limitMs)) === undefined) return false
    if ((await trial(id, false, limitMs)) === undefined) return true
  }
  throw new Error(`${id} fails without any mutation too`)
}
