import { z } from 'zod'
import { Camera, CameraChanges, CameraLearned, CamerasChanges } from '../cameras.js'
import { defineEndpoint } from '../endpoint.js'
import { id, idParams } from './shared.js'

const tag = 'cameras'

const cameraParams = z.object({ id, camera_id: id })

export const listCameras = defineEndpoint({
  id: 'listCameras',
  method: 'GET',
  path: '/api/v1/printers/:id/cameras/',
  tag,
  summary: 'The cameras of a printer',
  description: 'The primary one first. A camera is there from its first picture on.',
  access: 'read',
  params: idParams,
  output: z.array(Camera),
})

export const updateCamera = defineEndpoint({
  id: 'updateCamera',
  method: 'PATCH',
  path: '/api/v1/printers/:id/cameras/:camera_id/',
  tag,
  summary: 'Change how a camera is looked at',
  description:
    'Settings that are left out stay as they are. Regions and the crop are in shares of the picture, from its upper left corner. Another crop forgets what was learned from the old one.',
  access: 'write',
  params: cameraParams,
  body: CameraChanges,
  output: Camera,
  example: {
    body: {
      settings: {
        ignore_regions: [
          [
            [0.05, 0.1],
            [0.2, 0.1],
            [0.2, 0.3],
          ],
        ],
        bed_crop: { x: 0.15, y: 0.2, width: 0.7, height: 0.75 },
        tiles: 'auto',
      },
    },
  },
})

export const updateCameras = defineEndpoint({
  id: 'updateCameras',
  method: 'PATCH',
  path: '/api/v1/printers/:id/cameras/',
  tag,
  summary: 'Change how all cameras of a printer are looked at',
  description:
    'The same switches for the whole printer. Settings that are left out stay as they are, and so do regions and crops, which are each camera’s own. A camera that is added later begins with the usual settings.',
  access: 'write',
  params: idParams,
  body: CamerasChanges,
  output: z.array(Camera),
  example: { body: { settings: { baseline_enabled: false, tiles: 'always' } } },
})

export const getCameraLearned = defineEndpoint({
  id: 'getCameraLearned',
  method: 'GET',
  path: '/api/v1/printers/:id/cameras/:camera_id/learned/',
  tag,
  summary: 'What was learned of a camera',
  access: 'read',
  params: cameraParams,
  output: CameraLearned,
})

export const forgetBaseline = defineEndpoint({
  id: 'forgetBaseline',
  method: 'POST',
  path: '/api/v1/printers/:id/cameras/:camera_id/forget_baseline/',
  tag,
  summary: 'Forget what was learned of a camera',
  description:
    'Its baseline, its prototypes and its reference of the clean bed: for a camera or a printer that was moved.',
  access: 'write',
  params: cameraParams,
  output: CameraLearned,
})
