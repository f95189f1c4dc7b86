import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { ImportOutcome, ImportRecord, ImportSource, MAX_IMPORT_RECORDS } from '../import-records.js'
import { Email } from './admin.js'
import { idParams } from './shared.js'

const tag = 'administration'

export const importRecords = defineEndpoint({
  id: 'importRecords',
  method: 'POST',
  path: '/api/v1/admin/imports/',
  tag,
  summary: 'Bring things over from another server',
  description:
    'Each record is taken over once: sent again, it is known by its source and `source_id`. What was changed there since is changed here too, unless it was also changed here: then it stays, and is named. What was deleted here stays deleted. Nothing is sent to anybody, and no time-lapse is made. `dry_run` says what would happen.',
  access: 'admin',
  body: z
    .object({
      /** Whose account takes the things; the caller's own when left out. */
      email: Email.optional(),
      source: ImportSource,
      dry_run: z.boolean().optional(),
      records: z.array(ImportRecord).min(1).max(MAX_IMPORT_RECORDS),
    })
    .meta({ id: 'ImportRecords' }),
  output: z.object({ email: z.string(), outcomes: z.array(ImportOutcome) }).meta({ id: 'ImportOutcomes' }),
  example: {
    body: {
      source: { url: 'https://old.example', user_id: 3 },
      records: [{ kind: 'folder', source_id: 12, parent: null, name: 'Brackets' }],
    },
    output: {
      email: 'user@farm.example',
      outcomes: [{ kind: 'folder', source_id: 12, outcome: 'created', id: 7, notes: [], wants: [] }],
    },
  },
})

export const importBytes = defineEndpoint({
  id: 'importBytes',
  method: 'POST',
  path: '/api/v1/admin/imports/:id/bytes/',
  tag,
  summary: 'Send the bytes that a record wants',
  description:
    'G-code, an MP4 or QuickTime video, a JPEG, PNG or WebP picture, or prediction JSON, as the kind of the item asks. Sent again it changes nothing. What is no longer here answers 404.',
  access: 'admin',
  params: idParams,
  multipart: [{ name: 'file', kind: 'file', required: true, description: 'The bytes.' }],
  rawTypes: ['application/octet-stream'],
  output: ImportOutcome,
  errors: ['too_large', 'storage_full', 'unsupported_media_type', 'invalid_image'],
  example: { output: { kind: 'video', source_id: 42, outcome: 'created', id: 42, notes: [], wants: [] } },
})
