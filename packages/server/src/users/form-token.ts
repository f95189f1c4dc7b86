/** What makes and checks signatures. */
export interface FormSecrets {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

export type FormTokens = ReturnType<typeof formTokens>

/**
 * Anti-forgery fields of forms for signed-in users. Each is bound to the session and to what the form is about, so one that was
 * taken from another form, or from another's browser, is of no use.
 */
export function formTokens(secrets: FormSecrets) {
  const text = (sessionId: number, about: string): string => `session form ${sessionId} ${about}`
  return {
    issue: (sessionId: number, about: string): string => secrets.sign(text(sessionId, about)),
    accepts: (sessionId: number, about: string, token: string): boolean =>
      secrets.verify(text(sessionId, about), token),
  }
}
