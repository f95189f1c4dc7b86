/** One letter. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The port towards mail. */
export interface Mailer {
  /** Resolves when the mail server has taken the letter. @throws when it did not */
  send(mail: Mail): Promise<void>
  close(): Promise<void>
}
