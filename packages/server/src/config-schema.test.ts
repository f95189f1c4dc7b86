import { expect, test } from 'vitest'
import { readSettings } from './config-schema.js'

test('without any variable everything has its default', () => {
  expect(readSettings({ PATH: '/bin' }).settings).toEqual({
    HOST: '0.0.0.0',
    DETECTOR_THREADS: 1,
    HISTORY_BYTES: 5 * 1024 ** 3,
    PORT: 3334,
    DATA_DIR: './data',
    ROLES: ['web', 'detector', 'jobs'],
    ACCESS_TOKEN_SECONDS: 3_153_600_000,
    MAX_GCODE_BYTES: 1_073_741_824,
    MAX_SNAPSHOT_BYTES: 8_388_608,
    SMOOTHING: 'default',
    VIDEO_ENCODER: 'auto',
    DISCOVERY: 'on',
    ASSISTANT_TIMEOUT_SECONDS: 120,
    ASSISTANT_MONTHLY_CREDITS: -1,
    LOG_LEVEL: 'info',
  })
})

test.each([
  { name: 'a port', env: { PRINTWARDEN_PORT: '0' }, expected: { PORT: 0 } },
  { name: 'an empty variable counts as absent', env: { PRINTWARDEN_PORT: '' }, expected: { PORT: 3334 } },
  { name: 'spaces around are cut', env: { PRINTWARDEN_PORT: ' 80 ' }, expected: { PORT: 80 } },
  {
    name: 'a public URL loses its slash',
    env: { PRINTWARDEN_PUBLIC_URL: 'https://p.example/' },
    expected: { PUBLIC_URL: 'https://p.example' },
  },
  { name: 'roles', env: { PRINTWARDEN_ROLES: 'web, jobs' }, expected: { ROLES: ['web', 'jobs'] } },
  {
    name: 'proxies',
    env: { PRINTWARDEN_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' },
    expected: { TRUSTED_PROXIES: ['10.0.0.1', '10.1.0.0/16'] },
  },
  {
    name: 'limits',
    env: { PRINTWARDEN_LIMITS: 'user_requests=5/50, address_sockets=7' },
    expected: { LIMITS: { user_requests: { perSecond: 5, burst: 50 }, address_sockets: 7 } },
  },
])('$name is read', ({ env, expected }) => {
  expect(readSettings(env).settings).toMatchObject(expected)
})

test('everything that is wrong is told at once', () => {
  const { problems } = readSettings({
    PRINTWARDEN_PORT: 'http',
    PRINTWARDEN_ROLES: 'web,cook',
    PRINTWARDEN_LOGLEVEL: 'info',
    PRINTWARDEN_BLOBS_URL: 's3://me:secret@pictures',
    PRINTWARDEN_REDIS_URL: 'http://127.0.0.1',
    PRINTWARDEN_DATABASE_URL: 'postgres://127.0.0.1',
    PRINTWARDEN_PUBLIC_URL: 'ftp://p.example',
    PRINTWARDEN_SECRET_KEY: 'short',
    PRINTWARDEN_TRUSTED_PROXIES: '10.0.0.1, proxy',
    PRINTWARDEN_ADMIN_EMAIL: 'a@example.test',
    PRINTWARDEN_DETECTOR: 'http://127.0.0.1:3333/?x=1',
    PRINTWARDEN_DETECTOR_THREADS: '0',
    PRINTWARDEN_OUTBOUND_ALLOW: 'cam.lan, 10.0.0.0/40, http://x',
    PRINTWARDEN_LIMITS: 'requests=1/2,user_requests=5',
  })
  expect(problems).toEqual([
    'PRINTWARDEN_LOGLEVEL: unknown variable (did you mean PRINTWARDEN_LOG_LEVEL?)',
    'PRINTWARDEN_PORT: must be a whole number',
    'PRINTWARDEN_DATABASE_URL: must name the database, as postgres://host/name',
    'PRINTWARDEN_REDIS_URL: must be a redis:// or rediss:// URL',
    'PRINTWARDEN_BLOBS_URL: must hold no credentials: they go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    'PRINTWARDEN_PUBLIC_URL: must be an http(s) URL',
    'PRINTWARDEN_SECRET_KEY: must have at least 32 characters',
    'PRINTWARDEN_TRUSTED_PROXIES: must be addresses or CIDR blocks',
    'PRINTWARDEN_ROLES: must be some of web, detector, jobs',
    'PRINTWARDEN_DETECTOR: is no http(s) URL of a detector',
    'PRINTWARDEN_DETECTOR_THREADS: must be from 1 to 64',
    'PRINTWARDEN_OUTBOUND_ALLOW: "10.0.0.0/40" is no host name, address or CIDR block, with or without :port',
    'PRINTWARDEN_OUTBOUND_ALLOW: "http://x" is no host name, address or CIDR block, with or without :port',
    'PRINTWARDEN_LIMITS: "requests=1/2" names no limit; docs/limits.md lists them',
    'PRINTWARDEN_LIMITS: user_requests must be two numbers above 0, as 50/1000: per second, and at once',
    'PRINTWARDEN_ADMIN_PASSWORD: is missing, but PRINTWARDEN_ADMIN_EMAIL is set',
  ])
})

test('what may be asked elsewhere is a list of names, addresses and blocks, with ports', () => {
  const { settings } = readSettings({ PRINTWARDEN_OUTBOUND_ALLOW: 'Cam.lan, 10.0.0.0/8:443,[::1]:80' })
  expect(settings?.OUTBOUND_ALLOW).toEqual([
    { host: 'cam.lan', prefix: undefined, port: undefined },
    { host: '10.0.0.0', prefix: 8, port: 443 },
    { host: '::1', prefix: undefined, port: 80 },
  ])
})

test.each([
  { set: 'TLS_CERT', missing: 'TLS_KEY', value: 'cert.pem' },
  { set: 'ADMIN_EMAIL', missing: 'ADMIN_PASSWORD', value: 'a@example.test' },
])('$set needs $missing', ({ set, missing, value }) => {
  expect(readSettings({ [`PRINTWARDEN_${set}`]: value }).problems).toEqual([
    `PRINTWARDEN_${missing}: is missing, but PRINTWARDEN_${set} is set`,
  ])
})

test('nodes that share Redis share database and key', () => {
  const { problems } = readSettings({ PRINTWARDEN_REDIS_URL: 'redis://cache.example:6379/2' })
  expect(problems).toEqual([
    'PRINTWARDEN_DATABASE_URL: is missing, but PRINTWARDEN_REDIS_URL is set: all nodes need the same one',
    'PRINTWARDEN_SECRET_KEY: is missing, but PRINTWARDEN_REDIS_URL is set: all nodes need the same one',
  ])
  const fleet = {
    PRINTWARDEN_DATABASE_URL: 'postgres://me:secret@db.example/farm',
    PRINTWARDEN_REDIS_URL: 'rediss://cache.example',
    PRINTWARDEN_SECRET_KEY: 'a key that every node of this farm has',
  }
  expect(readSettings(fleet).problems).toEqual([])
})

test('a process without web needs the others', () => {
  const fleet = {
    PRINTWARDEN_DATABASE_URL: 'postgres://me:secret@db.example/farm',
    PRINTWARDEN_REDIS_URL: 'rediss://cache.example',
    PRINTWARDEN_SECRET_KEY: 'a key that every node of this farm has',
  }
  for (const roles of ['detector', 'jobs', 'detector,jobs']) {
    expect(readSettings({ ...fleet, PRINTWARDEN_ROLES: roles }).problems).toEqual([])
    expect(readSettings({ PRINTWARDEN_ROLES: roles }).problems).toEqual([
      expect.stringMatching(/^PRINTWARDEN_ROLES: a process without "web" works for others: .*REDIS_URL/),
    ])
  }
  expect(readSettings({ PRINTWARDEN_ROLES: 'web' }).problems).toEqual([])
})

test('what is set for a role that the process has not is warned about', () => {
  const { settings, ...result } = readSettings({
    PRINTWARDEN_ROLES: 'web',
    PRINTWARDEN_DETECTOR_THREADS: '2',
    PRINTWARDEN_VIDEO_ENCODER: 'ffmpeg',
  })
  expect(settings?.ROLES).toEqual(['web'])
  expect(result).toEqual({
    problems: [],
    warnings: [
      'PRINTWARDEN_DETECTOR_THREADS has no effect: PRINTWARDEN_ROLES has no "detector"',
      'PRINTWARDEN_VIDEO_ENCODER has no effect: PRINTWARDEN_ROLES has no "jobs"',
    ],
  })
})

test.each(['https://p.example/path', 'https://user@p.example', 'https://p.example/?x=1'])('%s is no origin', (url) => {
  expect(readSettings({ PRINTWARDEN_PUBLIC_URL: url }).problems).toEqual([
    'PRINTWARDEN_PUBLIC_URL: must be an origin, such as https://farm.example, without a path',
  ])
})

test('what has no effect yet is warned about, not refused', () => {
  const result = readSettings({ PRINTWARDEN_MQTT_URL: 'mqtt://broker.example' })
  expect(result).toMatchObject({
    problems: [],
    warnings: ['PRINTWARDEN_MQTT_URL has no effect in this version'],
  })
})

test.each([
  { url: 'smtp://mail.example', isGood: true },
  { url: 'smtps://me:secret@mail.example:465?from=farm@farm.example', isGood: true },
  { url: 'http://mail.example', isGood: false },
  { url: 'smtp://', isGood: false },
  { url: 'mail.example:25', isGood: false },
])('the mail server $url', ({ url, isGood }) => {
  const { problems } = readSettings({ PRINTWARDEN_SMTP_URL: url })
  expect(problems).toHaveLength(isGood ? 0 : 1)
})
