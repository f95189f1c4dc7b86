import { describe, expect, test } from 'vitest'
import { CameraError } from '../../camera.js'
import { changeOfWebcam, findWebcam, sourceOfWebcam, type Webcam } from './webcams.js'

/** What Moonraker 0.11 answers for a webcam of its configuration. */
const webcam = (change: Partial<Webcam> = {}): Webcam & Record<string, unknown> => ({
  name: 'cam1',
  enabled: true,
  icon: 'mdiWebcam',
  aspect_ratio: '4:3',
  target_fps: 10,
  target_fps_idle: 5,
  location: 'printer',
  service: 'mjpegstreamer',
  stream_url: '/webcam/?action=stream',
  snapshot_url: '/webcam/?action=snapshot',
  flip_horizontal: false,
  flip_vertical: false,
  rotation: 0,
  source: 'config',
  extra_data: {},
  uid: 'aac70b57',
  ...change,
})
const list = (...webcams: unknown[]) => ({ webcams })
const why = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof CameraError) return error.message
    throw error
  }
  return ''
}

describe('finding', () => {
  const off = webcam({ name: 'off', enabled: false })
  test('by its name', () => {
    expect(findWebcam(list(off, webcam(), webcam({ name: 'nozzle' })), 'nozzle').name).toBe('nozzle')
  })
  test('the first that is on', () => {
    expect(findWebcam(list(off, 5, webcam({ name: 'bed' }), webcam()), 'first').name).toBe('bed')
  })
  test.each([
    { name: 'gone', from: list(webcam(), off), says: 'Moonraker has no webcam "gone", but cam1' },
    { name: 'off', from: list(off), says: 'the webcam "off" is switched off in Moonraker' },
    { name: 'first', from: list(off), says: 'Moonraker has no webcam' },
    { name: 'first', from: 'nonsense', says: 'Moonraker has no webcam' },
  ])('$name in $from: $says', ({ name, from, says }) => {
    expect(why(() => findWebcam(from, name))).toBe(says)
  })
})

describe('the address', () => {
  const at = (moonraker: string, change: Partial<Webcam> = {}) => sourceOfWebcam(webcam(change), moonraker)

  test.each([
    { moonraker: 'http://pi.local:7125', url: 'http://pi.local/webcam/?action=snapshot' },
    { moonraker: 'https://pi.local:7130', url: 'https://pi.local/webcam/?action=snapshot' },
    { moonraker: 'http://pi.local', url: 'http://pi.local/webcam/?action=snapshot' },
    { moonraker: 'http://pi.local:81', url: 'http://pi.local:81/webcam/?action=snapshot' },
    { moonraker: 'http://[::1]:7126', url: 'http://[::1]/webcam/?action=snapshot' },
  ])('relative to the front end of $moonraker', ({ moonraker, url }) => {
    expect(at(moonraker)).toEqual({ type: 'snapshot', url })
  })
  test('whole ones stay', () => {
    expect(at('http://pi:7125', { snapshot_url: 'http://cam:8080/snap.jpg' })).toEqual({
      type: 'snapshot',
      url: 'http://cam:8080/snap.jpg',
    })
  })
  test('without a snapshot the MJPEG stream', () => {
    expect(at('http://pi:7125', { snapshot_url: '' })).toEqual({
      type: 'stream',
      url: 'http://pi/webcam/?action=stream',
    })
  })
  test('WebRTC with a snapshot', () => {
    const change = { service: 'webrtc-camerastreamer', stream_url: '/webcam/webrtc' }
    expect(at('http://pi:7125', change)).toMatchObject({ type: 'snapshot' })
  })
  test.each(['webrtc-camerastreamer', 'webrtc-go2rtc', 'hlsstream', 'iframe'])(
    '%s without a snapshot is told',
    (service) => {
      expect(why(() => at('http://pi:7125', { service, snapshot_url: '' }))).toBe(
        `the webcam "cam1" (${service}) has no snapshot URL: set one in Mainsail or Fluidd`,
      )
    },
  )
  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'http://'])('%s is refused', (snapshot_url) => {
    expect(why(() => at('http://pi:7125', { snapshot_url }))).toMatch(/address that is not of the web/)
  })
})

test.each([
  { flips: [false, false], rotation: 90, turned: 90 },
  { flips: [true, false], rotation: 90, turned: 270 },
  { flips: [false, true], rotation: 270, turned: 90 },
  { flips: [true, true], rotation: 90, turned: 90 },
  { flips: [true, false], rotation: 180, turned: 180 },
  { flips: [true, false], rotation: 0, turned: 0 },
] as const)('flips $flips with $rotation° is turned by $turned°', ({ flips: [h, v], rotation, turned }) => {
  expect(changeOfWebcam(webcam({ flip_horizontal: h, flip_vertical: v, rotation }))).toEqual({
    flipH: h,
    flipV: v,
    rotation: turned,
    maxSize: undefined,
  })
})
