import { expect, test } from 'vitest'
import { openProblem } from './open-problem.js'

const USB = '/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0'

test.each([
  {
    error: 'Error: No such file or directory, cannot open /dev/ttyUSB9',
    devices: [USB, '/dev/ttyACM0'],
    text: `no such device; there are ${USB}, /dev/ttyACM0`,
  },
  { error: 'Error: No such file or directory', devices: [USB], text: `no such device; there is ${USB}` },
  {
    error: 'Error: No such file or directory',
    devices: [],
    text: 'no such device, and no other serial device is there: is the printer on and its cable plugged in?',
  },
  {
    error: 'Error: Permission denied, cannot open /dev/ttyUSB0',
    devices: [],
    text: 'this user may not open it: add the user to the group dialout',
  },
  {
    error: 'Error Resource temporarily unavailable Cannot lock port',
    devices: [],
    text: 'another program has it open; only one can use it',
  },
  { error: 'Error: Inappropriate ioctl for device', devices: [], text: 'it is no serial device' },
  { error: 'Error: something else', devices: [], text: 'something else' },
])('$error', async ({ error, devices, text }) => {
  expect(await openProblem(new Error(error), async () => devices)).toBe(text)
})

test('a list that cannot be made is an empty one', async () => {
  const failing = () => Promise.reject(new Error('spawn udevadm ENOENT'))
  expect(await openProblem(new Error('ENOENT: no such file'), failing)).toContain('no other serial device')
})
