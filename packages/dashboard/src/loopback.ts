/** Whether a host name means the computer it is used on. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.startsWith('127.') || host === '[::1]'
}
