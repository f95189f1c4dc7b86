/** The bus subject on which a revoked token, session, account or share is told, so that its sockets are closed. */
export const REVOKED_SUBJECT = 'revoked'

/** Which credentials stopped working. */
export type RevokedNotice =
  | { readonly type: 'token'; readonly token_id: number }
  | { readonly type: 'session'; readonly session_id: number }
  | { readonly type: 'user'; readonly user_id: number }
  | { readonly type: 'printer'; readonly printer_id: number }
  | { readonly type: 'share'; readonly share_id: number }

/** Tells every node that these credentials stopped working. */
export function publishRevoked(bus: { publish(subject: string, payload: unknown): void }, notice: RevokedNotice): void {
  bus.publish(REVOKED_SUBJECT, notice)
}
