/** Further paths of an endpoint, by its own path. All of them answer alike. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/prints/:id/': ['/api/v1/print/:id/'],
  // Slicers take an address and add these to it: below a printer's, they mean that printer.
  '/api/version/': ['/printers/:printer/api/version/'],
  '/api/settings/': ['/printers/:printer/api/settings/'],
  '/api/printer/': ['/printers/:printer/api/printer/'],
  '/api/job/': ['/printers/:printer/api/job/'],
  '/api/printerprofiles/': ['/printers/:printer/api/printerprofiles/'],
  '/api/files/local/': ['/printers/:printer/api/files/local/'],
}

/** Every path at which the endpoint with `path` answers, its own first. */
export function pathsOf(path: string): readonly string[] {
  return [path, ...(ALIASES[path] ?? [])]
}
