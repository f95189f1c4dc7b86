import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { GCodeFileSaved, GCodeFileUploaded, MAX_NAME_LENGTH } from '../g-code.js'
import { GCodeFile, PrintFileResult } from '../g-code-file.js'
import { bulkIds, fileIdQuery, folderFilter, pageQuery } from './g-code-shared.js'
import { id, idParams } from './shared.js'

const tag = 'g-code files'

/** What a file's name may look like: with its folder it is checked again where it is stored. */
const filename = z.string().min(1).max(MAX_NAME_LENGTH)
const parentFolder = z.int().positive().nullable()

/** The writable fields of a stored file; unknown and read-only fields are ignored, a wrong type changes nothing. */
export const GCodeFileChanges = z
  .object({ filename, parent_folder: parentFolder })
  .partial()
  .meta({ id: 'GCodeFileChanges' })
export type GCodeFileChanges = z.infer<typeof GCodeFileChanges>

const NewGCodeFile = GCodeFileChanges.required({ filename: true }).meta({ id: 'NewGCodeFile' })

const listQuery = z
  .object({
    ...pageQuery,
    sorting: z
      .enum(['created_at_desc', 'created_at_asc', 'num_bytes_desc', 'num_bytes_asc', 'filename_desc', 'filename_asc'])
      .optional(),
    q: z.string().max(MAX_NAME_LENGTH).optional(),
    parent_folder: folderFilter.optional(),
    resident_printer: id.optional(),
    ...fileIdQuery,
  })
  .superRefine((query, context) => {
    for (const [name, other] of [
      ['safe_filename', 'agent_signature'],
      ['agent_signature', 'safe_filename'],
    ] as const) {
      if (query[name] === undefined || query[other] !== undefined) continue
      context.addIssue({ code: 'custom', path: [name], message: `is only valid together with "${other}"` })
    }
  })

const LIST_DESCRIPTION = `Newest first without \`sorting\`. \`parent_folder\` is a folder's id, or \`null\` for files in none; without it files of every folder are
listed. \`q\` finds files by a part of their name. \`resident_printer\` lists the files that lie on that printer instead of those stored here.`

export const listGCodeFiles = defineEndpoint({
  id: 'listGCodeFiles',
  method: 'GET',
  path: '/api/v1/g_code_files/',
  tag,
  summary: 'List G-code files',
  description: LIST_DESCRIPTION,
  access: 'read',
  query: listQuery,
  output: z.array(GCodeFile),
})

export const listGCodeFilesAsAgent = defineEndpoint({
  id: 'listGCodeFilesAsAgent',
  method: 'GET',
  path: '/api/v1/gcodefiles/',
  tag,
  summary: 'List G-code files, also as an agent',
  description: "The same as `/api/v1/g_code_files/`. A printer's `auth_token` lists its owner's files.",
  access: 'read_or_agent',
  query: listQuery,
  output: z.array(GCodeFile),
})

export const uploadGCodeFile = defineEndpoint({
  id: 'uploadGCodeFile',
  method: 'POST',
  path: '/api/v1/g_code_files/',
  tag,
  summary: 'Upload a G-code file',
  description: `The parts may come in any order; unknown ones are ignored. The name must end in \`.gcode\`, \`.gco\`, \`.g\`, \`.bgcode\` or \`.3mf\`. Without a file,
also as JSON, a record without bytes is made. With \`print\` the file is printed once it is stored. When that cannot be done now, the file stays, the answer is
409 with the reason, and \`Location\` names the file.`,
  access: 'write',
  body: NewGCodeFile,
  multipart: [
    { name: 'filename', kind: 'text', required: true, description: 'the name of the file' },
    { name: 'file', kind: 'file', required: false, description: 'its bytes' },
    {
      ...{ name: 'parent_folder', kind: 'text', required: false, description: 'the id of a folder; empty for none' },
      schema: z.string().regex(/^([1-9]\d{0,15})?$/),
    },
    {
      ...{ name: 'path', kind: 'text', required: false, description: 'names of folders, made where they are missing' },
      schema: z.string().max(MAX_NAME_LENGTH),
    },
    {
      ...{ name: 'print', kind: 'text', required: false, description: 'whether to print the file at once' },
      schema: z.enum(['true', 'false']),
    },
    {
      ...{ name: 'printer_id', kind: 'text', required: false },
      description: 'on which printer: its id, alone or as in `Left [7]`; may be left out by who has one',
      schema: z.string().regex(/^(.{0,300}\[)?[1-9]\d{0,15}\]?$/),
    },
  ],
  status: 201,
  output: GCodeFileUploaded,
  errors: ['conflict', 'too_large', 'rate_limited', 'storage_full'],
})

export const getGCodeFile = defineEndpoint({
  id: 'getGCodeFile',
  method: 'GET',
  path: '/api/v1/g_code_files/:id/',
  tag,
  summary: 'One G-code file',
  access: 'read',
  params: idParams,
  output: GCodeFile,
})

export const updateGCodeFile = defineEndpoint({
  id: 'updateGCodeFile',
  method: 'PATCH',
  path: '/api/v1/g_code_files/:id/',
  tag,
  summary: 'Rename or move a G-code file',
  description: 'Read-only and unknown fields are ignored.',
  access: 'write',
  params: idParams,
  body: GCodeFileChanges,
  output: GCodeFileSaved,
})

export const replaceGCodeFile = defineEndpoint({
  id: 'replaceGCodeFile',
  method: 'PUT',
  path: '/api/v1/g_code_files/:id/',
  tag,
  summary: 'Rename and move a G-code file',
  description: 'As `PATCH`, but the name is required. Without `parent_folder` the file stays where it is.',
  access: 'write',
  params: idParams,
  body: NewGCodeFile,
  output: GCodeFileSaved,
})

export const deleteGCodeFile = defineEndpoint({
  id: 'deleteGCodeFile',
  method: 'DELETE',
  path: '/api/v1/g_code_files/:id/',
  tag,
  summary: 'Delete a G-code file',
  description: 'Its bytes are removed. Prints that were made of it still show its name.',
  access: 'write',
  params: idParams,
})

export const deleteGCodeFiles = defineEndpoint({
  id: 'deleteGCodeFiles',
  method: 'POST',
  path: '/api/v1/g_code_files/bulk_delete/',
  tag,
  summary: 'Delete several G-code files',
  description: 'Ids that are not yours are ignored.',
  access: 'write',
  body: z.object({ file_ids: bulkIds }),
  output: z.object({ deleted: z.int().nonnegative() }),
})

export const moveGCodeFiles = defineEndpoint({
  id: 'moveGCodeFiles',
  method: 'POST',
  path: '/api/v1/g_code_files/bulk_move/',
  tag,
  summary: 'Move several G-code files to a folder',
  description: 'Ids that are not yours are ignored. `parent_folder` null takes them out of all folders.',
  access: 'write',
  body: z.object({ file_ids: bulkIds, parent_folder: parentFolder }),
  output: z.object({ moved: z.int().nonnegative() }),
})

export const printGCodeFile = defineEndpoint({
  id: 'printGCodeFile',
  method: 'POST',
  path: '/api/v1/g_code_files/:id/print/',
  tag,
  summary: 'Print a stored file',
  description: `Hands the file to the printer's agent, which downloads it, checks its hash and starts it. Like every action it answers 200: \`succeeded\` says
whether the agent has the command, \`reason\` why not. What becomes of it is told by the command.`,
  access: 'write',
  params: idParams,
  body: z.object({ printer_id: z.int().positive() }),
  output: PrintFileResult,
})

const agentForm = [
  {
    name: 'safe_filename',
    kind: 'text',
    required: true,
    description: "the file's name with `_` in place of what is special",
  },
  {
    name: 'agent_signature',
    kind: 'text',
    required: true,
    description: '`scheme:value`, by which the agent knows the file',
  },
] as const

export const reportGCodeFile = defineEndpoint({
  id: 'reportGCodeFile',
  method: 'POST',
  path: '/api/v1/agent/g_code_files/',
  tag: 'agent',
  summary: 'Find or add the record of a file on the printer',
  description: 'A form or a multipart body. 201 when it was added, 200 when it was known.',
  access: 'agent',
  multipart: [
    ...agentForm,
    { name: 'filename', kind: 'text', required: false, description: 'the name of the file' },
    {
      ...{ name: 'num_bytes', kind: 'text', required: false, description: 'its size' },
      schema: z.string().regex(/^\d{1,15}$/),
    },
    { name: 'url', kind: 'text', required: false, description: 'its path on the printer' },
  ],
  otherStatus: 201,
  output: GCodeFile,
})

export const updateReportedGCodeFile = defineEndpoint({
  id: 'updateReportedGCodeFile',
  method: 'PATCH',
  path: '/api/v1/agent/g_code_files/:id/',
  tag: 'agent',
  summary: 'Tell how a stored file is known on the printer',
  access: 'agent',
  params: z.object({ id }),
  multipart: agentForm.map((field) => ({ ...field, required: false })),
  output: GCodeFile,
})

export const listReportedGCodeFiles = defineEndpoint({
  id: 'listReportedGCodeFiles',
  method: 'GET',
  path: '/api/v1/agent/g_code_files/',
  tag: 'agent',
  summary: "The G-code files of the printer's owner",
  access: 'agent',
  query: z.object(pageQuery),
  output: z.array(GCodeFile),
})
