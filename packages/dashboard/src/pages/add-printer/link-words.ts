import { ApiError } from '@printwarden/sdk'

const CODE_LENGTH = 6

/** The digits of what was typed or pasted: people read codes with spaces and dashes. */
export function codeOf(typed: string): string {
  return typed.replaceAll(/\D/g, '').slice(0, CODE_LENGTH)
}

/** Whether all digits are there. */
export function isWholeCode(code: string): boolean {
  return code.length === CODE_LENGTH
}

/** Why a code was not taken, where that needs more words than the server's; undefined for everything else. */
export function codeProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 404) {
    return 'No agent shows this code. Look whether it is still on its screen: a code is good for fifteen minutes and for one use.'
  }
  if (error.status === 429) return 'Too many wrong codes. Wait a minute, then try again.'
  return undefined
}
