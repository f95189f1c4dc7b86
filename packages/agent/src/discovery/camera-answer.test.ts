import { expect, test } from 'vitest'
import { moonrakerCamera, octoPrintCamera } from './camera-answer.js'

const HOST = 'http://192.168.1.7:7125'
const webcams = (...list: object[]) => ({ status: 200, data: { result: { webcams: list } } })

test.each([
  { name: 'none', answer: webcams(), keys: undefined },
  { name: 'an error', answer: { status: 500, data: 'no' }, keys: undefined },
  {
    name: 'a relative address means the page of the host',
    answer: webcams({ enabled: true, snapshot_url: '/webcam/?action=snapshot', rotation: 180, flip_vertical: true }),
    keys: { snapshot_url: 'http://192.168.1.7/webcam/?action=snapshot', flip_v: 'true', rotation: '180' },
  },
  {
    name: 'one that is off, or has no still picture, is passed over',
    answer: webcams({ enabled: false, snapshot_url: '/a' }, { snapshot_url: '' }, { snapshot_url: 'http://c/s' }),
    keys: { snapshot_url: 'http://c/s' },
  },
  { name: 'another protocol', answer: webcams({ snapshot_url: 'file:///etc/passwd' }), keys: undefined },
])('Moonraker: $name', ({ answer, keys }) => {
  expect(moonrakerCamera(HOST, answer)).toEqual(keys)
})

test('OctoPrint: the camera with its turns', () => {
  const webcam = { snapshotUrl: 'http://127.0.0.1:8080/?action=snapshot', flipH: true, flipV: false, rotate90: true }
  expect(octoPrintCamera('http://127.0.0.1:5000', { status: 200, data: { webcam } })).toEqual({
    snapshot_url: 'http://127.0.0.1:8080/?action=snapshot',
    flip_h: 'true',
    rotation: '270',
  })
  expect(octoPrintCamera('http://127.0.0.1:5000', { status: 403, data: {} })).toBeUndefined()
})
