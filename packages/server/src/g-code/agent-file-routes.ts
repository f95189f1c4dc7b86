import { endpoints, MAX_NAME_LENGTH } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import type { FileFlow } from './file-flow.js'
import { countFiles, findVisibleFile, listFiles, updateFile } from './file-store.js'
import { readTextForm } from './form-flow.js'
import { amountOf, optionalText, requiredText } from './input.js'
import { fileSortingOf } from './listing.js'
import { safeName, searchName } from './names.js'
import { pageHeaders, pageOf } from './paging.js'
import type { ShowFlow } from './show-flow.js'

export interface AgentFileRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly files: FileFlow
  readonly show: ShowFlow
}

const MAX_SIGNATURE_LENGTH = 256
const MAX_PATH_LENGTH = 2000
const FIELDS = ['safe_filename', 'agent_signature', 'filename', 'num_bytes', 'url']

/** What agents tell of G-code files on their printers (wire facts, section 2.1). */
export function agentGCodeFileRoutes(api: Api, { database, clock, files, show }: AgentFileRoutesDeps): void {
  const { db } = database

  const read = (request: FastifyRequest) => readTextForm(request, FIELDS)

  api.handleAgent(endpoints.reportGCodeFile, async (_, agent, exchange) => {
    const fields = await read(exchange.request)
    const safe_filename = safeName(requiredText(fields, 'safe_filename', MAX_NAME_LENGTH))
    const { file, isNew } = await files.report(agent, {
      safe_filename,
      agent_signature: requiredText(fields, 'agent_signature', MAX_SIGNATURE_LENGTH),
      filename: optionalText(fields, 'filename', MAX_NAME_LENGTH) ?? safe_filename,
      num_bytes: amountOf(fields, 'num_bytes'),
      printer_path: printerPath(optionalText(fields, 'url', MAX_PATH_LENGTH)),
    })
    if (isNew) exchange.reply.code(201)
    return show.file(agent.user_id, file, exchange)
  })

  api.handleAgent(endpoints.updateReportedGCodeFile, async ({ params }, { user_id, printer_id }, exchange) => {
    const fields = await read(exchange.request)
    const found = await findVisibleFile(db, user_id, params.id)
    const isNear = found !== undefined && [null, printer_id].includes(found.resident_printer_id)
    if (!isNear) throw new ApiError('not_found')
    const safe = optionalText(fields, 'safe_filename', MAX_NAME_LENGTH)
    const signature = optionalText(fields, 'agent_signature', MAX_SIGNATURE_LENGTH)
    const file = await updateFile(db, user_id, params.id, {
      ...(safe === undefined || safe === '' ? {} : { safe_filename: safeName(safe), search_name: searchName(safe) }),
      ...(signature === undefined || signature === '' ? {} : { agent_signature: signature }),
      updated_at: clock.now(),
    })
    if (file === undefined) throw new ApiError('not_found')
    return show.file(user_id, file, exchange)
  })

  api.handleAgent(endpoints.listReportedGCodeFiles, async ({ query }, { user_id }, exchange) => {
    const everything = { printerId: undefined, folderId: undefined, search: '', signature: undefined }
    const page = pageOf(query)
    const [rows, total] = await Promise.all([
      listFiles(db, user_id, everything, fileSortingOf(undefined), page),
      countFiles(db, user_id, everything),
    ])
    exchange.reply.headers(pageHeaders(new URL(exchange.request.url, exchange.origin), page, total))
    return show.files(user_id, rows, exchange)
  })
}

/** Where a file lies on the printer. What a browser would take for an address is no path: apps may show it as a link. */
const printerPath = (url: string | undefined): string | null => (url === undefined || URL.canParse(url) ? null : url)
