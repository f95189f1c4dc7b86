import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { MobileDevice, NewMobileDevice } from '../mobile-devices.js'
import { idParams } from './shared.js'

const tag = 'mobile devices'

export const listMobileDevices = defineEndpoint({
  id: 'listMobileDevices',
  method: 'GET',
  path: '/api/v1/mobile_devices/',
  tag,
  summary: "The user's devices",
  access: 'read',
  output: z.array(MobileDevice),
})

export const getMobileDevice = defineEndpoint({
  id: 'getMobileDevice',
  method: 'GET',
  path: '/api/v1/mobile_devices/:id/',
  tag,
  summary: 'One device',
  access: 'read',
  params: idParams,
  output: MobileDevice,
})

export const registerMobileDevice = defineEndpoint({
  id: 'registerMobileDevice',
  method: 'POST',
  path: '/api/v1/mobile_devices/',
  tag,
  summary: 'Register a device, or bring one up to date',
  description:
    'A `device_token` that is there already is brought up to date and active again. Of more than 50 devices the one that was registered longest ago is forgotten.',
  access: 'write',
  body: NewMobileDevice,
  status: 201,
  output: MobileDevice,
})
