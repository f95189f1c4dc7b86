import FormData from 'form-data'
import { openAgentHttp, type AgentHttp, type PostResult } from '../uplink/agent-client.js'

/** One picture on its way to the server. */
export interface PicUpload {
  /** A UUID, made once for each picture: the server keeps it once, however often it comes. */
  readonly id: string
  readonly bytes: Uint8Array
  readonly label: string
  readonly primary: boolean
  readonly nozzle: boolean
  /** Taken because somebody looks on, beside the interval: shown, not analysed. */
  readonly boost: boolean
  readonly ageMs: number
  /** Of a picture of the past, which is for the time-lapse of its print alone; undefined for a picture of now. */
  readonly past?: { readonly printTs: number; readonly picsToCome: number } | undefined
}

export type PicResult = PostResult

/** Uploads pictures of one printer. */
export interface PicClient {
  /** Throws when the server cannot be reached. */
  upload(pic: PicUpload): Promise<PicResult>
}

const PATH = '/api/v1/agent/pic/'

export function openPicClient(
  serverUrl: string,
  authToken: string,
  http: AgentHttp = openAgentHttp(serverUrl, authToken),
): PicClient {
  return { upload: (pic) => http.post(PATH, formOf(pic)) }
}

function formOf({ id, bytes, label, primary, nozzle, boost, ageMs, past }: PicUpload): FormData {
  const form = new FormData()
  form.append('is_primary_camera', String(primary))
  form.append('is_nozzle_camera', String(nozzle))
  form.append('camera_name', label)
  form.append('frame_id', id)
  if (boost) form.append('viewing_boost', 'true')
  if (past === undefined) form.append('age_ms', String(Math.round(ageMs)))
  else {
    form.append('current_print_ts', String(past.printTs))
    form.append('pics_to_come', String(past.picsToCome))
    form.append('frame_age_ms', String(Math.round(ageMs)))
  }
  form.append('pic', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
    filename: 'pic.jpg',
    contentType: 'image/jpeg',
  })
  return form
}
