/** Further paths of an endpoint, by its own path. All of them answer alike. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/prints/:id/': ['/api/v1/print/:id/'],
  // What existing agents ask for (wire facts, section 7).
  '/api/v1/agent/printer/': ['/api/v1/agent/ping/', '/api/v1/octo/printer/', '/api/v1/octo/ping/'],
  '/api/v1/agent/pic/': ['/api/v1/octo/pic/'],
  '/api/v1/agent/printer_events/': ['/api/v1/octo/printer_events/'],
  '/api/v1/agent/g_code_files/': ['/api/v1/octo/g_code_files/'],
  '/api/v1/agent/g_code_files/:id/': ['/api/v1/octo/g_code_files/:id/'],
  '/api/v1/agent/unlinked/': ['/api/v1/octo/unlinked/'],
  '/api/v1/agent/verify/': ['/api/v1/octo/verify/'],
  // Slicers take an address and add these to it: below a printer's, they mean that printer.
  '/api/version/': ['/printers/:printer/api/version/'],
  '/api/settings/': ['/printers/:printer/api/settings/'],
  '/api/printer/': ['/printers/:printer/api/printer/'],
  '/api/job/': ['/printers/:printer/api/job/'],
  '/api/printerprofiles/': ['/printers/:printer/api/printerprofiles/'],
  '/api/files/local/': ['/printers/:printer/api/files/local/'],
}

/** How existing clients spell the beginning of paths, by how we do: for areas all of whose endpoints they know. */
const PREFIXES: Readonly<Record<string, string>> = { '/assistant/api/': '/jusprin/api/' }

const UPSTREAM_PATH = /^\/(api\/v1\/octo|jusprin\/api)(\/|$)/

/** Every path at which the endpoint with `path` answers, its own first. */
export function pathsOf(path: string): readonly string[] {
  const prefixed = Object.entries(PREFIXES)
    .filter(([own]) => path.startsWith(own))
    .map(([own, theirs]) => theirs + path.slice(own.length))
  return [path, ...(ALIASES[path] ?? []), ...prefixed]
}

/** Whether only existing agents and clients ask for this path, by the names that they are used to. */
export const isUpstreamPath = (path: string): boolean => UPSTREAM_PATH.test(path)
