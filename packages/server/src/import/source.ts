import type { ImportSource } from '@printwarden/protocol'

/** How another server and its user are noted: the same server is known again however its address is written. */
export function sourceText({ url, user_id }: ImportSource): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname.replace(/\/+$/, '')}#${user_id}`
}
