declare module 'fastify' {
  interface FastifyInstance {
    readonly knownPaths: KnownPaths
  }
}

/** Which methods each path answers, so that a wrong method is told from a wrong path. */
export class KnownPaths {
  readonly #patterns: { readonly pattern: RegExp; readonly methods: Set<string> }[] = []
  readonly #byUrl = new Map<string, Set<string>>()

  /** Learns of a route; `:name` stands for one segment of the path. */
  add(url: string, methods: readonly string[]): void {
    const plain = withoutSlash(url)
    if (plain.includes('*')) return
    const known = this.#byUrl.get(plain)
    if (known !== undefined) {
      for (const method of methods) known.add(method)
      return
    }
    const source = plain.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')
    const all = new Set(methods)
    this.#byUrl.set(plain, all)
    this.#patterns.push({ pattern: new RegExp(`^${source}$`), methods: all })
  }

  /** The methods that `path` answers, in order of the alphabet; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const plain = withoutSlash(path)
    const methods = this.#patterns.filter(({ pattern }) => pattern.test(plain)).flatMap((entry) => [...entry.methods])
    return [...new Set(methods)].sort()
  }

  /** The methods of the route that is called `path` word for word; empty when only patterns match it. */
  methodsOfExactly(path: string): string[] {
    return [...(this.#byUrl.get(withoutSlash(path)) ?? [])].sort()
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
