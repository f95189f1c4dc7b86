import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { GCodeFolder, GCodeFolderFlat, MAX_NAME_LENGTH } from '../g-code.js'
import { bulkIds, folderFilter, pageQuery } from './g-code-shared.js'
import { idParams } from './shared.js'

const tag = 'g-code folders'

const parentFolder = z.int().positive().nullable()

/** The writable fields of a folder; unknown and read-only fields are ignored, a wrong type changes nothing. */
export const GCodeFolderChanges = z
  .object({ name: z.string().min(1).max(MAX_NAME_LENGTH), parent_folder: parentFolder })
  .partial()
  .meta({ id: 'GCodeFolderChanges' })
export type GCodeFolderChanges = z.infer<typeof GCodeFolderChanges>

const NewGCodeFolder = GCodeFolderChanges.required({ name: true }).meta({ id: 'NewGCodeFolder' })

const NAMES = 'Names are told apart as `safe_name`; two folders beside each other cannot share one.'

export const listGCodeFolders = defineEndpoint({
  id: 'listGCodeFolders',
  method: 'GET',
  path: '/api/v1/g_code_folders/',
  tag,
  summary: 'List G-code folders',
  description:
    'Newest first without `sorting`. `parent_folder` is an id, or `null` for those in no other; without it all are listed.',
  access: 'read',
  query: z.object({
    ...pageQuery,
    sorting: z.enum(['created_at_desc', 'created_at_asc', 'name_desc', 'name_asc']).optional(),
    q: z.string().max(MAX_NAME_LENGTH).optional(),
    parent_folder: folderFilter.optional(),
  }),
  output: z.array(GCodeFolder),
})

export const createGCodeFolder = defineEndpoint({
  id: 'createGCodeFolder',
  method: 'POST',
  path: '/api/v1/g_code_folders/',
  tag,
  summary: 'Create a G-code folder',
  description: NAMES,
  access: 'write',
  body: NewGCodeFolder,
  status: 201,
  output: GCodeFolderFlat,
})

export const getGCodeFolder = defineEndpoint({
  id: 'getGCodeFolder',
  method: 'GET',
  path: '/api/v1/g_code_folders/:id/',
  tag,
  summary: 'One G-code folder',
  access: 'read',
  params: idParams,
  output: GCodeFolder,
})

export const updateGCodeFolder = defineEndpoint({
  id: 'updateGCodeFolder',
  method: 'PATCH',
  path: '/api/v1/g_code_folders/:id/',
  tag,
  summary: 'Rename or move a G-code folder',
  description: `${NAMES} A folder cannot be moved into itself or into a folder inside it.`,
  access: 'write',
  params: idParams,
  body: GCodeFolderChanges,
  output: GCodeFolderFlat,
})

export const replaceGCodeFolder = defineEndpoint({
  id: 'replaceGCodeFolder',
  method: 'PUT',
  path: '/api/v1/g_code_folders/:id/',
  tag,
  summary: 'Rename and move a G-code folder',
  description: 'As `PATCH`, but the name is required. Without `parent_folder` the folder stays where it is.',
  access: 'write',
  params: idParams,
  body: NewGCodeFolder,
  output: GCodeFolderFlat,
})

export const deleteGCodeFolder = defineEndpoint({
  id: 'deleteGCodeFolder',
  method: 'DELETE',
  path: '/api/v1/g_code_folders/:id/',
  tag,
  summary: 'Delete a G-code folder with everything in it',
  access: 'write',
  params: idParams,
})

export const deleteGCodeFolders = defineEndpoint({
  id: 'deleteGCodeFolders',
  method: 'POST',
  path: '/api/v1/g_code_folders/bulk_delete/',
  tag,
  summary: 'Delete several G-code folders with everything in them',
  description: 'Ids that are not yours are ignored. The answer counts the folders that were named.',
  access: 'write',
  body: z.object({ folder_ids: bulkIds }),
  output: z.object({ deleted: z.int().nonnegative() }),
})

export const moveGCodeFolders = defineEndpoint({
  id: 'moveGCodeFolders',
  method: 'POST',
  path: '/api/v1/g_code_folders/bulk_move/',
  tag,
  summary: 'Move several G-code folders into another',
  description: 'Ids that are not yours are ignored. All of them move, or none.',
  access: 'write',
  body: z.object({ folder_ids: bulkIds, parent_folder: parentFolder }),
  output: z.object({ moved: z.int().nonnegative() }),
})
