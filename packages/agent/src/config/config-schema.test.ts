import { expect, test } from 'vitest'
import { readConfig } from './config-schema.js'
import { parseIni } from './ini.js'

const TOKEN = '0123456789abcdef0123456789abcdef01234567'
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98'
const server = '[server]\nurl: http://192.168.1.20:3334/\n'
const printer = `[printer mk3]\nauth_token: ${TOKEN}\nhost: octoprint\nurl: http://127.0.0.1:5000\napi_key: KEY\n`

const read = (text: string) => readConfig(parseIni(text))
const messages = (text: string) => read(text).problems.map(({ line, message }) => `${line}: ${message}`)

test('a whole configuration', () => {
  const camera =
    '[camera mk3 bed]\nsnapshot_url: http://127.0.0.1/webcam/?action=snapshot\nprimary: true\nflip_h: yes\nrotation: 90\ninterval: 2.5\n'
  expect(read(server + printer + camera)).toEqual({
    problems: [],
    config: {
      serverUrl: 'http://192.168.1.20:3334',
      printers: [
        {
          name: 'mk3',
          authToken: TOKEN,
          host: { host: 'octoprint', url: 'http://127.0.0.1:5000', api_key: 'KEY' },
          frameQuota: { frames: 300, bytes: 64 * 1024 * 1024 },
          cameras: [
            {
              label: 'bed',
              source: { type: 'snapshot', url: 'http://127.0.0.1/webcam/?action=snapshot' },
              primary: true,
              nozzle: false,
              change: { flipH: true, flipV: false, rotation: 90, maxSize: undefined },
              intervalMs: 2500,
            },
          ],
        },
      ],
    },
  })
})

test.each([
  { key: 'stream_url: http://cam/stream', source: { type: 'stream', url: 'http://cam/stream' } },
  { key: 'stream_url: rtsp://cam/1', source: { type: 'rtsp', url: 'rtsp://cam/1' } },
  {
    key: 'snapshot_url: http://cam/\nuser: anna\npassword: secret',
    source: { type: 'snapshot', url: 'http://cam/', login: { user: 'anna', password: 'secret' } },
  },
  {
    key: 'device: /dev/video0',
    source: { type: 'device', path: '/dev/video0', resolution: { width: 1280, height: 720 } },
  },
  {
    key: 'device: /dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0\nresolution: 640x480',
    source: {
      type: 'device',
      path: '/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0',
      resolution: { width: 640, height: 480 },
    },
  },
  { key: 'pictures: ./frames', source: { type: 'pictures', folder: './frames' } },
  { key: 'pictures: generated', source: { type: 'generated' } },
])('$key', ({ key, source }) => {
  const { config } = read(`${server}${printer}[camera mk3]\n${key}`)
  expect(config?.printers[0]?.cameras[0]).toMatchObject({ source, label: 'camera', intervalMs: 10_000 })
})

test('the first camera is the primary one where none is said to be', () => {
  const cameras = '[camera mk3 a]\npictures: generated\n[camera mk3 b]\npictures: generated\n'
  const { config } = read(server + printer + cameras)
  expect(config?.printers[0]?.cameras.map(({ primary }) => primary)).toEqual([true, false])
})

test('where there is one printer, a camera need not name it', () => {
  const { config } = read(`${server}${printer}[camera test]\npictures: ./frames`)
  expect(config?.printers[0]?.cameras[0]?.label).toBe('test')
})

test('a Moonraker needs no key, and gives its webcams', () => {
  const section = `[printer v0]\nauth_token: ${TOKEN}\nhost: moonraker\nurl: http://v0.local:7125/\n`
  const withKey = `${section}api_key: KEY\n`
  const camera = '[camera bed]\nwebcam: cam1\n'
  for (const [text, apiKey] of [[section, undefined] as const, [withKey, 'KEY'] as const]) {
    const [found] = read(server + text + camera).config?.printers ?? []
    expect(found?.host).toEqual({
      host: 'moonraker',
      url: 'http://v0.local:7125',
      ...(apiKey ? { api_key: apiKey } : {}),
    })
    const moonraker = { url: 'http://v0.local:7125', apiKey }
    expect(found?.cameras[0]?.source).toEqual({ type: 'webcam', name: 'cam1', moonraker })
  }
})

test('several printers, each with its own camera', () => {
  const second = `[printer ender]\nauth_token: ${OTHER}\nhost: virtual\nduration: 60\n[camera ender]\npictures: generated\n`
  const { config } = read(server + printer + second)
  expect(config?.printers.map(({ name, cameras }) => [name, cameras.length])).toEqual([
    ['mk3', 0],
    ['ender', 1],
  ])
  expect(config?.printers[1]?.host).toMatchObject({ host: 'virtual', duration: 60, repeat: false })
})

test.each([
  { name: 'an empty file', text: '', says: ['1: [server]', '1: there is no [printer NAME]'] },
  { name: 'a missing url', text: `[server]\n${printer}`, says: ['1: [server] url is missing'] },
  { name: 'a bad url', text: `[server]\nurl: example\n${printer}`, says: ['2: [server] url should be a URL'] },
  { name: 'an unknown key', text: `${server}${printer}colour: red`, says: ['8: [printer mk3] colour is no key'] },
  { name: 'an unknown section', text: `${server}${printer}[extra]`, says: ['8: [extra] is unknown'] },
  { name: 'a printer without a name', text: `${server}${printer}[printer]`, says: ['8: [printer] is unknown'] },
  { name: 'a missing token', text: `${server}[printer a]\nhost: virtual`, says: ['3: [printer a] auth_token (or'] },
  {
    name: 'a short token',
    text: `${server}[printer a]\nauth_token: 12\nhost: virtual`,
    says: ['4: [printer a] auth_token should'],
  },
  {
    name: 'an unknown host',
    text: `${server}[printer a]\nauth_token: ${TOKEN}\nhost: bambu`,
    says: ['5: [printer a] host should be one of'],
  },
  {
    name: 'a missing host',
    text: `${server}[printer a]\nauth_token: ${TOKEN}`,
    says: ['3: [printer a] host is missing'],
  },
  {
    name: 'a missing key',
    text: `${server}[printer a]\nauth_token: ${TOKEN}\nhost: octoprint\nurl: http://h`,
    says: ['3: [printer a] api_key is missing'],
  },
  {
    name: 'one token for two printers',
    text: `${server}${printer}[printer b]\nauth_token: ${TOKEN.toUpperCase()}\nhost: virtual`,
    says: ['9: [printer b] auth_token is that of [printer mk3]'],
  },
  {
    name: 'a camera without pictures',
    text: `${server}${printer}[camera mk3 bed]\nprimary: true`,
    says: ['8: [camera mk3 bed] needs exactly one of'],
  },
  {
    name: 'a camera with two sources',
    text: `${server}${printer}[camera mk3 bed]\npictures: a\nstream_url: http://h`,
    says: [
      '8: [camera mk3 bed] needs exactly one of snapshot_url, stream_url, device, webcam, pictures, not stream_url and pictures',
    ],
  },
  {
    name: 'a webcam of Moonraker on another host',
    text: `${server}${printer}[camera mk3 bed]\nwebcam: first`,
    says: ['3: [printer mk3] has a camera with the key webcam, which is for host: moonraker'],
  },
  {
    name: 'a camera of nobody',
    text: `${server}${printer}[printer b]\nauth_token: ${OTHER}\nhost: virtual\n[camera c bed]\npictures: a`,
    says: ['11: [camera c bed] belongs to no'],
  },
  {
    name: 'bad values',
    text: `${server}${printer}[camera mk3]\npictures: a\nrotation: 45\ninterval: 0\nflip_h: maybe`,
    says: [
      '10: [camera mk3] rotation should be',
      '11: [camera mk3] interval should be',
      '12: [camera mk3] flip_h should be',
    ],
  },
  {
    name: 'a printer known by its pictures that has none',
    text: `${server}[printer a]\nauth_token: ${TOKEN}\nhost: camera\n`,
    says: ['3: [printer a] host: camera needs a [camera …] section'],
  },
  {
    name: 'two primary cameras',
    text: `${server}${printer}[camera mk3 a]\npictures: a\nprimary: true\n[camera mk3 b]\npictures: b\nprimary: true`,
    says: ['11: [camera mk3 b] is a second primary'],
  },
])('$name is a problem', ({ text, says }) => {
  const found = messages(text)
  expect(found).toHaveLength(says.length)
  for (const [index, start] of says.entries()) expect(found[index]).toContain(start)
  expect(read(text).config).toBeUndefined()
})

test('problems of the file and of its meaning come together, in the order of the lines', () => {
  expect(messages(`what\n[server]\nurl: nope\n[printer a]\nhost: virtual`).map((text) => text.split(':')[0])).toEqual([
    '1',
    '3',
    '4',
  ])
})

test.each([
  '/dev/video0; reboot',
  '/dev/video0 && reboot',
  '/dev/video0$(reboot)',
  '/dev/video0`reboot`',
  '/dev/video',
  '/dev/../etc/passwd',
  '/dev/v4l/by-id/../../sda',
  '/dev/v4l/by-id/a b',
  '/dev/v4l/by-id/-o',
  '/dev/sda',
  'test',
  'video0',
])('the device "%s" is refused', (device) => {
  expect(messages(`${server}${printer}[camera mk3]\ndevice: ${device}`)).toEqual([
    expect.stringContaining('9: [camera mk3] device should be a camera like /dev/video0'),
  ])
})

test.each([
  { lines: 'snapshot_url: file:///etc/passwd', says: 'snapshot_url should be a URL' },
  { lines: 'snapshot_url: rtsp://cam/1', says: 'snapshot_url should be a URL' },
  { lines: 'stream_url: ftp://cam/1', says: 'stream_url should be a URL' },
  { lines: 'snapshot_url: http://cam/\npassword: secret', says: 'has a password without a user' },
  { lines: 'device: /dev/video0\nuser: anna', says: 'user and password belong to' },
  { lines: 'stream_url: http://a:b@cam/\nuser: anna', says: 'has its user in the URL and beside it' },
  { lines: 'stream_url: http://cam/\nresolution: 640x480', says: 'resolution is for a device' },
  { lines: 'device: /dev/video0\nresolution: big', says: 'resolution should be a width and a height' },
])('a camera with $lines is a problem', ({ lines, says }) => {
  const found = messages(`${server}${printer}[camera mk3]\n${lines}`)
  expect(found).toEqual([expect.stringContaining(says)])
  expect(found.join()).not.toContain('secret')
})

test('a printer that is watched by picture alone', () => {
  const text = `${server}[printer a1]\nauth_token: ${TOKEN}\nhost: camera\nmotion: yes\n[camera a1]\nsnapshot_url: http://cam/\n`
  expect(read(text).config?.printers[0]).toMatchObject({
    host: { host: 'camera', motion: true, motion_minutes: 3, quiet_minutes: 15 },
    cameras: [{ primary: true }],
  })
})
