import { z } from 'zod'
import { defineEndpoint, type MultipartField } from '../endpoint.js'

// The door for slicers: what PrusaSlicer, OrcaSlicer and Cura's OctoPrint plugin ask of an OctoPrint. Shapes are OctoPrint's, so they
// are its camelCase too. The same paths below `/printers/{printer}/` mean that one printer.

const tag = 'slicers'

const ADDRESS = `Below \`/printers/{printer}/\` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
meant.`

/** What a slicer checks before it sends anything: `text` has to begin with "OctoPrint". */
export const SlicerVersion = z
  .object({ api: z.string(), server: z.string(), text: z.string() })
  .meta({ id: 'SlicerVersion' })
export type SlicerVersion = z.infer<typeof SlicerVersion>

const SlicerSettings = z
  .object({
    feature: z.object({ sdSupport: z.boolean() }),
    webcam: z.object({}),
    plugins: z.object({}),
  })
  .meta({ id: 'SlicerSettings' })

const temperature = z.object({ actual: z.number().nullable(), target: z.number().nullable() })

/** A printer's state as OctoPrint tells it. */
export const SlicerPrinter = z
  .object({
    state: z.object({ text: z.string(), flags: z.record(z.string(), z.boolean()) }),
    temperature: z.record(z.string(), temperature),
  })
  .meta({ id: 'SlicerPrinter' })
export type SlicerPrinter = z.infer<typeof SlicerPrinter>

/** What a printer prints, as OctoPrint tells it. */
export const SlicerJob = z
  .object({
    state: z.string(),
    job: z.object({ file: z.object({ name: z.string().nullable() }) }),
    progress: z.object({
      completion: z.number().nullable(),
      printTime: z.number().nullable(),
      printTimeLeft: z.number().nullable(),
    }),
  })
  .meta({ id: 'SlicerJob' })
export type SlicerJob = z.infer<typeof SlicerJob>

const SlicerProfile = z.object({ id: z.string(), name: z.string(), model: z.string(), current: z.boolean() })

const SlicerProfiles = z.object({ profiles: z.record(z.string(), SlicerProfile) }).meta({ id: 'SlicerProfiles' })

const SlicerFile = z.object({
  name: z.string(),
  path: z.string(),
  origin: z.literal('local'),
  refs: z.object({ resource: z.url(), download: z.url() }),
})

/** The answer to an upload. */
export const SlicerUpload = z
  .object({
    done: z.literal(true),
    files: z.object({ local: SlicerFile }),
    effectiveSelect: z.boolean(),
    effectivePrint: z.boolean(),
  })
  .meta({ id: 'SlicerUpload' })
export type SlicerUpload = z.infer<typeof SlicerUpload>

export const getSlicerVersion = defineEndpoint({
  id: 'getSlicerVersion',
  method: 'GET',
  path: '/api/version/',
  tag,
  summary: "A slicer's test of the connection",
  description: ADDRESS,
  access: 'read',
  textErrors: true,
  output: SlicerVersion,
  example: { output: { api: '0.1', server: '1.11.0', text: 'OctoPrint (Printwarden 1.0.0)' } },
})

export const getSlicerSettings = defineEndpoint({
  id: 'getSlicerSettings',
  method: 'GET',
  path: '/api/settings/',
  tag,
  summary: 'What a slicer may use',
  description: 'By this Cura learns whether the key is good, and that there is no SD card to store on.',
  access: 'read',
  textErrors: true,
  output: SlicerSettings,
})

export const getSlicerPrinter = defineEndpoint({
  id: 'getSlicerPrinter',
  method: 'GET',
  path: '/api/printer/',
  tag,
  summary: "The printer's state for a slicer",
  description: `${ADDRESS} 409 while the printer is offline, or when it is not clear which is meant.`,
  access: 'read',
  textErrors: true,
  output: SlicerPrinter,
  errors: ['conflict'],
})

export const getSlicerJob = defineEndpoint({
  id: 'getSlicerJob',
  method: 'GET',
  path: '/api/job/',
  tag,
  summary: 'What the printer prints, for a slicer',
  description: ADDRESS,
  access: 'read',
  textErrors: true,
  output: SlicerJob,
})

export const listSlicerProfiles = defineEndpoint({
  id: 'listSlicerProfiles',
  method: 'GET',
  path: '/api/printerprofiles/',
  tag,
  summary: "The printer's name for a slicer",
  description: ADDRESS,
  access: 'read',
  textErrors: true,
  output: SlicerProfiles,
})

/** How clients write yes and no in OctoPrint's forms; nothing is no. */
const yesOrNo = z.enum(['', 'true', 'false', 'True', 'False', 'yes', 'no', '1', '0'])

const uploadForm: readonly MultipartField[] = [
  { name: 'file', kind: 'file', required: true, description: 'the G-code, with its file name' },
  {
    name: 'path',
    kind: 'text',
    required: false,
    description: 'the folder, as names with `/` between them; what is missing of it is made',
  },
  {
    name: 'print',
    kind: 'text',
    required: false,
    description: 'whether to print the file at once',
    schema: yesOrNo,
  },
  {
    name: 'select',
    kind: 'text',
    required: false,
    description: 'not used: a stored file is not selected',
  },
]

const NOT_PRINTED = `A file that cannot be printed now is stored all the same; the answer is 400 then and says why. To a request with \`X-Api-Key\` errors
are told as plain text, since slicers show them as they are, unless it accepts JSON.`

const upload = {
  method: 'POST',
  tag,
  access: 'write',
  textErrors: true,
  multipart: uploadForm,
  status: 201,
  output: SlicerUpload,
} as const

export const uploadFromSlicer = defineEndpoint({
  ...upload,
  id: 'uploadFromSlicer',
  path: '/api/files/local/',
  summary: 'Upload G-code from a slicer',
  description: `${ADDRESS} ${NOT_PRINTED}`,
  errors: ['too_large', 'rate_limited', 'storage_full'],
})

export const uploadFromSlicerToPrinter = defineEndpoint({
  ...upload,
  id: 'uploadFromSlicerToPrinter',
  path: '/api/files/:printer/',
  summary: 'Upload G-code from a slicer for one printer',
  description: `\`printer\` is the id or the name of a printer; with \`print\` the file is printed there. ${NOT_PRINTED}`,
  params: z.object({ printer: z.string().min(1).max(200).meta({ description: 'The id or the name of a printer.' }) }),
  errors: ['too_large', 'rate_limited', 'storage_full'],
})
