import { z } from 'zod'
import { Alert, AnsweredAlert, Calibration, DetectionExample, PrintFrame } from '../alerts.js'
import { defineEndpoint } from '../endpoint.js'
import { AlertOverwrite } from '../resources.js'
import { id, idParams, queryCount, queryLimit } from './shared.js'

const tag = 'detection'

const cameraParams = z.object({ id, camera_id: id })

export const listPrintAlerts = defineEndpoint({
  id: 'listPrintAlerts',
  method: 'GET',
  path: '/api/v1/prints/:id/alerts/',
  tag,
  summary: 'The failure alerts of a print, with what they were judged by',
  description: 'Oldest first.',
  access: 'read',
  params: idParams,
  output: z.array(Alert),
})

export const getAlert = defineEndpoint({
  id: 'getAlert',
  method: 'GET',
  path: '/api/v1/alerts/:id/',
  tag,
  summary: 'One failure alert',
  access: 'read',
  params: idParams,
  output: Alert,
})

export const answerAlert = defineEndpoint({
  id: 'answerAlert',
  method: 'POST',
  path: '/api/v1/alerts/:id/answer/',
  tag,
  summary: 'Say whether an alert was right',
  description: `Changes what this camera's scores count for at once, within bounds, and acknowledges the alert while it stands. \`null\` takes
the answer back.`,
  access: 'write',
  params: idParams,
  body: z.object({ answer: AlertOverwrite.nullable() }).meta({ id: 'AlertAnswer' }),
  output: AnsweredAlert,
})

export const getCalibration = defineEndpoint({
  id: 'getCalibration',
  method: 'GET',
  path: '/api/v1/printers/:id/cameras/:camera_id/calibration/',
  tag,
  summary: "What the user's answers make of a camera's scores",
  access: 'read',
  params: cameraParams,
  output: Calibration,
})

export const removeCalibrationAnswer = defineEndpoint({
  id: 'removeCalibrationAnswer',
  method: 'DELETE',
  path: '/api/v1/printers/:id/cameras/:camera_id/calibration/answers/:answer_id/',
  tag,
  summary: 'Take an answer back',
  description: 'What it did to the scores is undone, and the labelled picture is forgotten.',
  access: 'write',
  params: cameraParams.extend({ answer_id: id }),
  output: Calibration,
})

export const resetCalibration = defineEndpoint({
  id: 'resetCalibration',
  method: 'POST',
  path: '/api/v1/printers/:id/cameras/:camera_id/calibration/reset/',
  tag,
  summary: "Let a camera's scores count as the model gives them",
  description: 'The labelled pictures stay, but move the scores no more.',
  access: 'write',
  params: cameraParams,
  output: Calibration,
})

/** The most frames that one answer holds. */
export const MAX_FRAMES_PER_PAGE = 500

export const listPrintFrames = defineEndpoint({
  id: 'listPrintFrames',
  method: 'GET',
  path: '/api/v1/prints/:id/frames/',
  tag,
  summary: 'The pictures that are kept of a print',
  description: `In order of time. Without \`start\`, \`limit\` and \`step\` at most ${MAX_FRAMES_PER_PAGE} from the whole print, evenly; else from \`start\` on, every \`step\`-th one.`,
  access: 'read',
  params: idParams,
  query: z.object({
    start: queryCount.optional(),
    limit: queryLimit(MAX_FRAMES_PER_PAGE).optional(),
    step: queryCount.optional(),
  }),
  output: z.array(PrintFrame),
  headers: ['x-total-count'],
})

/** A share of a picture's width or height. */
const share = z.number().min(0).max(1)

export const labelFrame = defineEndpoint({
  id: 'labelFrame',
  method: 'POST',
  path: '/api/v1/prints/:id/examples/',
  tag,
  summary: 'Say whether a kept picture of a print shows a failure',
  description: `For failures that were missed: \`frame_ts\` as \`listPrintFrames\` gives it. Boxes are centre and size in shares of the picture.`,
  access: 'write',
  params: idParams,
  body: z
    .object({
      frame_ts: z.number().positive().max(1e11),
      answer: AlertOverwrite,
      boxes: z
        .array(z.tuple([share, share, share, share]))
        .max(20)
        .optional(),
    })
    .meta({ id: 'FrameLabel' }),
  output: DetectionExample,
})

/** The most examples that one answer holds. */
export const MAX_EXAMPLES = 500

export const listDetectionExamples = defineEndpoint({
  id: 'listDetectionExamples',
  method: 'GET',
  path: '/api/v1/detection/examples/',
  tag,
  summary: 'Pictures that the user has labelled, newest first',
  access: 'read',
  query: z.object({ start: queryCount.optional(), limit: queryLimit(MAX_EXAMPLES).optional() }),
  output: z.array(DetectionExample),
})

export const deleteDetectionExample = defineEndpoint({
  id: 'deleteDetectionExample',
  method: 'DELETE',
  path: '/api/v1/detection/examples/:id/',
  tag,
  summary: 'Forget a labelled picture',
  access: 'write',
  params: idParams,
})

export const exportDetectionExamples = defineEndpoint({
  id: 'exportDetectionExamples',
  method: 'GET',
  path: '/api/v1/detection/examples/export/',
  tag,
  summary: 'The labelled pictures as a zip file in YOLO layout',
  description: `\`images/\`, \`labels/\` and \`manifest.json\`, without names of people, printers or files. Only while the user's
\`detection_export_consent\` is on; \`conflict\` otherwise. With the SDK: \`client.download('/api/v1/detection/examples/export/')\`.`,
  access: 'read',
  errors: ['conflict'],
  headers: ['content-disposition'],
})
