import type { CameraWatching, Printer } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { cameraTitle, cameraWords, proofWords } from './watching-words.js'

const camera = (fields: Partial<CameraWatching> = {}): CameraWatching =>
  ({
    name: '',
    is_primary: true,
    detection_enabled: true,
    not_watching_code: null,
    not_watching_reason: null,
    frames_analysed: 0,
    ...fields,
  }) as CameraWatching

const printer = (fields: Partial<Printer> & { is_watching?: boolean }): Printer =>
  ({
    not_watching_code: null,
    not_watching_reason: null,
    current_print: {},
    watching: { is_watching: fields.is_watching ?? false },
    ...fields,
  }) as Printer

test('green only when a picture was checked a moment ago', () => {
  expect(proofWords(printer({ is_watching: true })).tone).toBe('good')
  expect(proofWords(printer({ is_watching: false })).tone).toBe('neutral')
  expect(proofWords(printer({ not_watching_code: 'camera_dark', not_watching_reason: 'dark' }))).toEqual({
    text: 'dark',
    tone: 'bad',
  })
})

test('what the user chose is no fault', () => {
  expect(proofWords(printer({ not_watching_code: 'muted', not_watching_reason: 'muted' })).tone).toBe('off')
})

test.each([
  { of: camera({ detection_enabled: false }), text: 'Not looked at for failures' },
  { of: camera({ not_watching_reason: 'No picture' }), text: 'No picture' },
  { of: camera({ frames_analysed: 1 }), text: 'Watching · 1 look' },
  { of: camera({ frames_analysed: 12 }), text: 'Watching · 12 looks' },
  { of: camera(), text: 'Ready' },
])('a camera is said to be: $text', ({ of, text }) => {
  expect(cameraWords(of, printer({ is_watching: true })).text).toBe(text)
})

test('a camera has a title even without a name', () => {
  expect([
    cameraTitle(camera()),
    cameraTitle(camera({ is_primary: false })),
    cameraTitle(camera({ name: 'Nozzle' })),
  ]).toEqual(['Camera', 'Camera without a name', 'Nozzle'])
})

test('no camera is said to watch while its printer is offline', () => {
  const offline = printer({ not_watching_code: 'offline', not_watching_reason: 'offline' })
  expect(cameraWords(camera({ frames_analysed: 12 }), offline)).toEqual({ text: 'Not watching now', tone: 'neutral' })
})
