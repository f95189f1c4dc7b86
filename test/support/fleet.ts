import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { type Balancer, openBalancer } from './balancer.js'
import { type EngineProgram, startPostgres, startRedis } from './engine-programs.js'
import { runServerCommand, type ServerProgram, startServer, temporaryFolder, until } from './processes.js'
import { SteadyPrinter } from './steady-printer.js'

// Servers that share a PostgreSQL, a Redis and their pictures, each a process with roles of its own, behind one address.

/** One process of the fleet; it keeps its port over restarts. */
export interface Node {
  readonly name: string
  readonly roles: string
  program: ServerProgram
}

export class Fleet {
  readonly nodes = new Map<string, Node>()
  client!: Client
  readonly #printers: SteadyPrinter[] = []
  #token = ''

  constructor(
    readonly folder: string,
    readonly postgres: EngineProgram,
    readonly redis: EngineProgram,
    readonly balancer: Balancer,
    readonly env: Readonly<Record<string, string>>,
    readonly remove: () => Promise<void>,
  ) {}

  static async open(env: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const folder = await temporaryFolder()
    const [postgres, redis, balancer] = await Promise.all([startPostgres(), startRedis(), openBalancer()])
    await mkdir(join(folder.path, 'blobs'))
    return new Fleet(folder.path, postgres, redis, balancer, env, folder.remove)
  }

  node(name: string): Node {
    const node = this.nodes.get(name)
    if (node === undefined) throw new Error(`there is no node ${name}`)
    return node
  }

  /** Starts a node that was not there yet, or starts it again. */
  async start(name: string, roles = this.node(name).roles): Promise<Node> {
    const known = this.nodes.get(name)
    const dataDir = join(this.folder, name)
    if (known === undefined) {
      await mkdir(dataDir)
      await symlink(join(this.folder, 'blobs'), join(dataDir, 'blobs'))
    }
    const program = await startServer({
      // Several at once on a small machine get in each other's way.
      startMs: 400_000,
      dataDir,
      port: known === undefined ? 0 : Number(new URL(known.program.url).port),
      env: {
        PRINTWARDEN_DATABASE_URL: this.postgres.url,
        PRINTWARDEN_REDIS_URL: this.redis.url,
        PRINTWARDEN_SECRET_KEY: 'a key that all nodes of this test have',
        PRINTWARDEN_DISCOVERY: 'off',
        PRINTWARDEN_ROLES: roles,
        ...this.env,
      },
    })
    const node = { name, roles, program }
    this.nodes.set(name, node)
    this.#balance()
    return node
  }

  /** SIGKILL: it says good-bye to nobody. */
  async kill(name: string): Promise<void> {
    await this.node(name).program.kill()
  }

  /**
   * As an operator does it: out of the balancer, and once `isDrained` SIGTERM; then start again. Answers the exit code.
   *
   * @param isDrained whether requests that it was given before have been answered
   */
  async restart(name: string, isDrained: () => boolean): Promise<number | null> {
    this.#balance(name)
    await until(`requests to ${name} to end`, isDrained, 240_000)
    const code = await this.node(name).program.stop()
    await this.start(name)
    return code
  }

  #balance(without?: string): void {
    const web = [...this.nodes.values()].filter(({ name, roles }) => roles.includes('web') && name !== without)
    this.balancer.setPorts(web.map(({ program }) => Number(new URL(program.url).port)))
  }

  /** Lets the test in as the administrator. To be called once there is a web node. */
  async signIn(): Promise<void> {
    const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
    const issued: unknown = JSON.parse(await runServerCommand(this.balancer.url, issue))
    if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
    this.#token = String(issued.access_token)
    this.client = this.clientOf(this.balancer.url)
  }

  /** Each of its calls has a connection of its own, and so goes to the next node. */
  clientOf(baseUrl: string): Client {
    return createClient({
      baseUrl,
      token: this.#token,
      timeoutMs: 60_000,
      fetch: (request) => {
        request.headers.set('connection', 'close')
        return fetch(request)
      },
    })
  }

  /** Adds a printer whose agent is connected to `url`. */
  async addPrinter(name: string, url = this.balancer.url): Promise<{ id: number; printer: SteadyPrinter }> {
    const { id, auth_token } = await this.client.createPrinter({ name })
    await this.client.updatePrinter({ id, min_timelapse_secs_on_finish: 0, min_timelapse_secs_on_cancel: 0 })
    const printer = new SteadyPrinter(url, auth_token ?? '')
    this.#printers.push(printer)
    await until(
      `${name} to be shown as connected`,
      async () => (await this.client.getPrinter({ id })).status !== null,
      120_000,
      500,
    )
    return { id, printer }
  }

  /** What a node says of itself. */
  async ready(name: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${this.node(name).program.url}/readyz`)
    return { status: answer.status, text: await answer.text() }
  }

  /** One value of a node's metrics; 0 when it is not there. */
  async metric(name: string, line: string): Promise<number> {
    const text = await (await fetch(`${this.node(name).program.url}/metrics`)).text()
    const found = text.split('\n').find((one) => one.startsWith(`${line} `))
    return Number(found?.slice(line.length + 1) ?? 0)
  }

  async close(): Promise<void> {
    await Promise.all(this.#printers.map((printer) => printer.close()))
    await Promise.all([...this.nodes.values()].map(({ program }) => program.stop()))
    await this.balancer.close()
    await Promise.all([this.postgres.close(), this.redis.close()])
    await this.remove()
  }
}
