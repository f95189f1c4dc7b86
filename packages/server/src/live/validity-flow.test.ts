import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../http/api.js'
import { NOW } from '../printers/sample.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import { validCallers } from './validity-flow.js'

let world: TestWorld

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

const callerOf = (via: Caller['via']): Caller => ({ user_id: 1, email: 'a@b', is_admin: false, scopes: ['read'], via })

async function addToken(changes: { expires_at?: number; revoked_at?: number }, user_id: number): Promise<Caller> {
  const token = { user_id, token_hash: String(Math.random()), scope: 'read', created_at: NOW, ...changes }
  const query = world.db.insertInto('oauth_tokens').values(token).returning('id')
  return callerOf({ type: 'token', token_id: (await query.executeTakeFirstOrThrow()).id })
}

async function addSession(expires_at: number, user_id: number): Promise<Caller> {
  const session = { user_id, token_hash: String(Math.random()), created_at: NOW, expires_at }
  const query = world.db.insertInto('sessions').values(session).returning('id')
  return callerOf({ type: 'session', session_id: (await query.executeTakeFirstOrThrow()).id })
}

test('what has run out, was revoked or belongs to a closed account lets nobody in', async () => {
  const [user, disabled] = [await world.addUser(), await world.addUser()]
  await world.db.updateTable('users').set({ disabled_at: NOW }).where('id', '=', disabled).execute()
  const good = [
    await addToken({}, user),
    await addToken({ expires_at: NOW + 1 }, user),
    await addSession(NOW + 1, user),
  ]
  const bad = [
    await addToken({ expires_at: NOW }, user),
    await addToken({ revoked_at: NOW - 1 }, user),
    await addToken({}, disabled),
    await addSession(NOW, user),
    await addSession(NOW + 1, disabled),
    callerOf({ type: 'token', token_id: 999_999 }),
    callerOf({ type: 'session', session_id: 999_999 }),
  ]
  const isValid = await validCallers(world.db, [...good, ...bad], NOW)
  expect(good.map(isValid)).toEqual(good.map(() => true))
  expect(bad.map(isValid)).toEqual(bad.map(() => false))
})

test('nobody to look up', async () => {
  expect((await validCallers(world.db, [], NOW))(callerOf({ type: 'token', token_id: 1 }))).toBe(false)
})
