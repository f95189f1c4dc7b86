import { expect, test } from 'vitest'
import { OAuthError } from '../errors.js'
import type { Client } from './client.js'
import { checkClientSecret, clientCredentials } from './client-credentials.js'
import { readParameters } from './parameters.js'

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  { name: 'form fields', header: undefined, form: { client_id: 'a', client_secret: 'b' }, secret: 'b' },
  { name: 'a public client', header: undefined, form: { client_id: 'a' }, secret: undefined },
  { name: 'Basic', header: basic('a:b'), form: {}, secret: 'b' },
  { name: 'Basic in other letters', header: basic('a:b').replace('Basic', 'bAsIc'), form: {}, secret: 'b' },
  { name: 'Basic, form-encoded', header: basic('%61:b%3Ab+c'), form: {}, secret: 'b:b c' },
  { name: 'Basic and the same client_id', header: basic('a:b'), form: { client_id: 'a' }, secret: 'b' },
])('$name', ({ header, form, secret }) => {
  expect(clientCredentials(header, readParameters(form))).toEqual({ clientId: 'a', secret })
})

test.each([
  { name: 'nothing', header: undefined, form: {}, code: 'invalid_request' },
  { name: 'two ways at once', header: basic('a:b'), form: { client_secret: 'b' }, code: 'invalid_request' },
  { name: 'two clients at once', header: basic('a:b'), form: { client_id: 'c' }, code: 'invalid_request' },
  { name: 'another scheme', header: 'Bearer abc', form: { client_id: 'a' }, code: 'invalid_client' },
  { name: 'Basic without a colon', header: basic('ab'), form: {}, code: 'invalid_client' },
  { name: 'Basic without a name', header: basic(':b'), form: {}, code: 'invalid_client' },
  { name: 'Basic with a broken escape', header: basic('a:%zz'), form: {}, code: 'invalid_client' },
  { name: 'Basic that is no base64', header: 'Basic !!!', form: {}, code: 'invalid_client' },
])('$name: $code', ({ header, form, code }) => {
  expect(() => clientCredentials(header, readParameters(form))).toThrow(expect.objectContaining({ code }))
})

const hash = (text: string): string => `hash of ${text}`
const client = (changes: Partial<Client> = {}): Client => ({
  ...{
    id: 1,
    client_id: 'a',
    name: 'A',
    description: '',
    type: 'confidential',
    redirect_uris: [],
    require_pkce: false,
  },
  ...{ client_secret_hash: hash('right'), is_slicer: false, is_self_registered: false },
  ...changes,
})
const open = client({ type: 'public', client_secret_hash: null })

test.each([
  { name: 'the right secret', who: client(), secret: 'right', ok: true },
  { name: 'a wrong secret', who: client(), secret: 'wrong', ok: false },
  { name: 'no secret', who: client(), secret: undefined, ok: false },
  { name: 'the hash instead of the secret', who: client(), secret: hash('right'), ok: false },
  { name: 'a public client', who: open, secret: undefined, ok: true },
  { name: 'a public client with a secret', who: open, secret: 'x', ok: false },
  {
    name: 'a confidential client that has lost its secret',
    who: client({ client_secret_hash: null }),
    secret: undefined,
    ok: false,
  },
  { name: 'nobody', who: undefined, secret: 'right', ok: false },
])('$name', ({ who, secret, ok }) => {
  const check = () => checkClientSecret(who, secret, hash)
  if (ok) expect(check()).toBe(who)
  else expect(check).toThrow(new OAuthError('invalid_client', false, 'The client is unknown, or its secret is wrong.'))
})
