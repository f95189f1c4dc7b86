/**
 * The agent's configuration for a printer on OctoPrint.
 *
 * @param origin the server's address as this page knows it
 * @param token the printer's `auth_token`; a placeholder stands in its place without one
 */
export function configLines(origin: string, name: string, token: string | undefined): string {
  const section = sectionName(name)
  return `[server]
url: ${origin}

[printer ${section}]
auth_token: ${token ?? '(the token of the printer)'}
host: octoprint
url: http://127.0.0.1:5000
api_key: (an application key of OctoPrint)

[camera ${section} main]
snapshot_url: http://127.0.0.1:8080/?action=snapshot
primary: true
`
}

/** A name that can stand in a section's head: small letters, digits and dashes. */
export function sectionName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'printer' : plain
}
