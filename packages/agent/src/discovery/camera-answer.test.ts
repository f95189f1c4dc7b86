import { expect, test } from 'vitest'
import { octoPrintCamera } from './camera-answer.js'

test('OctoPrint: the camera with its turns', () => {
  const webcam = { snapshotUrl: 'http://127.0.0.1:8080/?action=snapshot', flipH: true, flipV: false, rotate90: true }
  expect(octoPrintCamera('http://127.0.0.1:5000', { status: 200, data: { webcam } })).toEqual({
    snapshot_url: 'http://127.0.0.1:8080/?action=snapshot',
    flip_h: 'true',
    rotation: '270',
  })
  expect(octoPrintCamera('http://127.0.0.1:5000', { status: 403, data: {} })).toBeUndefined()
})

test.each(['file:///etc/passwd', 'data:image/jpeg;base64,AA', '', ' ', 7, `http://c/${'a'.repeat(2000)}`])(
  'OctoPrint: %j is no address of a camera',
  (snapshotUrl) => {
    expect(octoPrintCamera('http://127.0.0.1:5000', { status: 200, data: { webcam: { snapshotUrl } } })).toBeUndefined()
  },
)
