import { NetworkError } from '@printwarden/sdk'

/** Ends the session and leaves for the sign-in form. */
export async function signOut(): Promise<void> {
  const response = await fetch('/logout/', { method: 'POST', headers: { accept: 'application/json' } }).catch(
    (error: unknown) => {
      throw new NetworkError('the server could not be reached', { cause: error })
    },
  )
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  location.assign('/login/')
}
