import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { redisCounters } from '../adapters/counters-redis.js'
import { openRedis, type RedisConnections } from '../adapters/redis-connection.js'
import { TEST_REDIS_URL } from '../adapters/testing.js'
import type { AppDeps } from '../app.js'
import { startTestServer, type TestServer } from '../testing.js'

// Two whole servers that count by one Redis: what is used up at one of them is used up at the other.

if (TEST_REDIS_URL === undefined) throw new Error('PRINTWARDEN_TEST_REDIS_URL names no Redis server')
const redisUrl = TEST_REDIS_URL
const silent = { error() {}, warn() {}, info() {}, debug() {} }
const clock = { now: () => Date.now() }

const servers: TestServer[] = []
const connections: RedisConnections[] = []

async function startNodes(limits: AppDeps['limits'] = {}): Promise<[TestServer, TestServer]> {
  const prefix = `test:${randomUUID()}:`
  const start = async (): Promise<TestServer> => {
    const redis = { ...(await openRedis(redisUrl, silent)), prefix }
    connections.push(redis)
    const server = await startTestServer({ counters: redisCounters(redis, clock, silent), limits })
    servers.push(server)
    return server
  }
  return [await start(), await start()]
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await Promise.all(connections.splice(0).map((redis) => redis.close()))
})

const signIn = (server: TestServer, password: string) =>
  server.call('POST', '/api/v1/admin/sign_in/', { token: null, body: { email: server.owner.email, password } })

test('wrong passwords at one node count at the other, and the right one there does not help', async () => {
  const [one, two] = await startNodes()
  for (let tries = 0; tries < 3; tries += 1) expect((await signIn(one, 'wrong')).status).toBe(401)
  for (let tries = 0; tries < 2; tries += 1) expect((await signIn(two, 'wrong')).status).toBe(401)
  for (const node of [one, two]) {
    const answer = await signIn(node, node.owner.password)
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
}, 120_000)

test('requests of a user are counted together', async () => {
  const [one, two] = await startNodes({ user_requests: { perSecond: 0.01, burst: 10 } })
  const answers: number[] = []
  for (let index = 0; index < 14; index += 1) {
    answers.push((await (index % 2 === 0 ? one : two).call('GET', '/api/v1/users/me/')).status)
  }
  expect(answers.filter((status) => status === 200)).toHaveLength(10)
  expect(answers.slice(-4)).toEqual([429, 429, 429, 429])
}, 120_000)

test('a node that loses Redis goes on limiting by itself', async () => {
  const [one] = await startNodes({ user_requests: { perSecond: 0.01, burst: 4 } })
  const ask = async (): Promise<number> => (await one.call('GET', '/api/v1/users/me/')).status
  expect([await ask(), await ask()]).toEqual([200, 200])
  connections[0]?.commands.disconnect()
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
}, 120_000)
