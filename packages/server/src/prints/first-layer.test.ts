import { expect, test } from 'vitest'
import { startTestServer } from '../testing.js'

test('there are no first-layer pictures, and asking for them is answered', async () => {
  const server = await startTestServer()
  try {
    const path = '/api/v1/first_layer_inspection_images/'
    for (const query of ['', '?print_id=1']) {
      const { status, json, headers } = await server.call('GET', `${path}${query}`)
      expect([status, json, headers.get('x-total-count')]).toEqual([200, [], '0'])
    }
    expect((await server.call('GET', `${path}?print_id=x`)).status).toBe(400)
    expect((await server.call('GET', path, { token: null })).status).toBe(401)
  } finally {
    await server.close()
  }
})
