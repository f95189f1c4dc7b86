import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { addressesOf, announceServer } from './discovery-mdns.js'

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address)

test('a server that listens everywhere is told of with every address of the network, never with loopback', () => {
  expect(addressesOf('0.0.0.0')).toEqual(outside)
  expect(addressesOf('0.0.0.0')).not.toContain('127.0.0.1')
})

test('a server that listens on loopback alone is not told of', async () => {
  expect(addressesOf('127.0.0.1')).toEqual([])
  expect(await announceServer({ host: '127.0.0.1', port: 3334, isTls: false })).toBeUndefined()
})
