/** Further paths of an endpoint, by its own path. All of them answer alike. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/prints/:id/': ['/api/v1/print/:id/'],
}

/** Every path at which the endpoint with `path` answers, its own first. */
export function pathsOf(path: string): readonly string[] {
  return [path, ...(ALIASES[path] ?? [])]
}
