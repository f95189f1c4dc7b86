import { hash, verify } from '@node-rs/argon2'

// argon2id (the default of the library) with 19 MiB and two passes: what OWASP asks for at least, and some 30 ms of one core.
const OPTIONS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** Hashes a password for keeping. */
export function hashPassword(password: string): Promise<string> {
  return hash(sameEverywhere(password), OPTIONS)
}

/** Whether `password` is the one that was hashed. */
export function isPassword(password: string, passwordHash: string): Promise<boolean> {
  return verify(passwordHash, sameEverywhere(password))
}

/** Systems type the same letter as different code points; it must be the same password on all of them. */
const sameEverywhere = (password: string): string => password.normalize('NFKC')
