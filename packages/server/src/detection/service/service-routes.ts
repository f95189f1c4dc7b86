import { endpoints, type FoundFailures } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import { readForm, type UploadLimits } from '../../http/read-form.js'
import { readRaw } from '../../http/read-raw.js'
import { type Outbound, OutboundError } from '../../ports.js'
import { AtOnce } from '../../limits/at-once.js'
import { type Detector, DetectorError, type Findings } from '../detector.js'
import { pictureType } from '../picture-type.js'

export interface ServiceRoutesDeps {
  readonly detector: Pick<Detector, 'detect'>
  readonly outbound: Outbound
  readonly maxSnapshotBytes: number
}

/** Pictures of one user at a time. */
export const MAX_AT_ONCE = 4
const UPLOAD_TIMEOUT_MS = 60_000
const FETCH_TIMEOUT_MS = 8_000
const RETRY_SECONDS = 5

const NO_PICTURE = 'It is no JPEG, PNG or WebP.'

/** The detector for other programs, by the contract of a detection service (decision 23). */
export function serviceRoutes(api: Api, { detector, outbound, maxSnapshotBytes }: ServiceRoutesDeps): void {
  const atOnce = new AtOnce(MAX_AT_ONCE)
  const limits: UploadLimits = { maxFileBytes: maxSnapshotBytes, timeoutMs: UPLOAD_TIMEOUT_MS }

  async function look(picture: Buffer): Promise<FoundFailures> {
    return answerOf(await detector.detect(picture).catch(asApiError))
  }

  async function fetched(url: string): Promise<Buffer> {
    const request = { url, maxBytes: maxSnapshotBytes, timeoutMs: FETCH_TIMEOUT_MS }
    const { status, body } = await outbound.request(request).catch(asIssue)
    if (status !== 200) throw issue(`The address answers ${status}.`)
    if (pictureType(body) === undefined) throw issue(NO_PICTURE)
    return body
  }

  api.handle(endpoints.findFailuresAt, async ({ query }, caller) =>
    atOnce.run(caller.user_id, async () => look(await fetched(query.img))),
  )

  api.handle(endpoints.findFailures, async (_input, caller, { request }) =>
    atOnce.run(caller.user_id, async () => look(await uploaded(request, limits))),
  )
}

async function uploaded(request: FastifyRequest, limits: UploadLimits): Promise<Buffer> {
  const picture = request.isMultipart()
    ? (await readForm(request, ['img', 'pic'], limits)).file
    : await readRaw(request, limits)
  if (picture === undefined || picture.length === 0) throw issue('a picture is required')
  return picture
}

function answerOf({ detections, score, model }: Findings): FoundFailures {
  return { detections: [...detections], score, model }
}

const issue = (message: string): ApiError =>
  new ApiError('invalid_request', undefined, { issues: [{ path: 'img', message }] })

function asIssue(err: unknown): never {
  throw err instanceof OutboundError ? issue(err.message) : err
}

function asApiError(err: unknown): never {
  if (!(err instanceof DetectorError)) throw err
  const retry = err.code === 'unavailable' ? { retryAfterSeconds: RETRY_SECONDS } : {}
  throw new ApiError(err.code, undefined, { cause: err, ...retry })
}
