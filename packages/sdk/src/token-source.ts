/**
 * Gives a client its tokens and gets new ones when they run out. What `createOAuth` of `@printwarden/sdk/oauth` makes is one; an app
 * may bring its own.
 */
export interface TokenSource {
  /** The token to send now. */
  token(): Promise<string>
  /**
   * Called when the server does not take a token any more. After it {@link TokenSource.token} gives another one, with which the call
   * is made once more; when it rejects, so does the call.
   *
   * @param ended the token that was refused; when it is not the present one any more there is nothing to do
   */
  renew(ended: string): Promise<void>
}
