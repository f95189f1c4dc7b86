import type { Kysely, Selectable } from 'kysely'
import type { HistoryFramesTable, PredictionsTable, Tables } from '../../tables.js'

export type HistoryFrameRow = Selectable<HistoryFramesTable>

/** An analysed frame as pictures of it are kept and shown. */
export type HistoryPrediction = Pick<
  Selectable<PredictionsTable>,
  'frame_at' | 'current_p' | 'score' | 'normalized_p' | 'detections'
>

/** The analysed frames of the primary camera, in order of time. */
export async function listHistoryPredictions(db: Kysely<Tables>, printId: number): Promise<HistoryPrediction[]> {
  const query = db.selectFrom('predictions').select(['frame_at', 'current_p', 'score', 'normalized_p', 'detections'])
  return query.where('print_id', '=', printId).where('camera_id', 'is', null).orderBy('frame_at').execute()
}

export async function insertHistoryFrames(db: Kysely<Tables>, rows: readonly HistoryFrameRow[]): Promise<void> {
  if (rows.length === 0) return
  const query = db.insertInto('history_frames').values([...rows])
  await query.onConflict((conflict) => conflict.columns(['print_id', 'frame_at']).doNothing()).execute()
}

/** The small pictures of a print, in order of time. */
export async function listHistoryFrames(db: Kysely<Tables>, printId: number): Promise<HistoryFrameRow[]> {
  const query = db.selectFrom('history_frames').selectAll().where('print_id', '=', printId)
  return query.orderBy('frame_at').execute()
}

/** How many bytes of small pictures each print has, the one that ended first at the beginning. */
export async function listHistorySizes(db: Kysely<Tables>): Promise<{ print_id: number; bytes: number }[]> {
  const query = db.selectFrom('history_frames').innerJoin('prints', 'prints.id', 'history_frames.print_id')
  const rows = await query
    .select((eb) => ['history_frames.print_id', eb.fn.sum<number | string>('history_frames.bytes').as('bytes')])
    .groupBy(['history_frames.print_id', 'prints.started_at'])
    .orderBy('prints.started_at')
    .orderBy('history_frames.print_id')
    .execute()
  return rows.map(({ print_id, bytes }) => ({ print_id, bytes: Number(bytes) }))
}

export async function deleteHistory(db: Kysely<Tables>, printId: number): Promise<void> {
  await db.deleteFrom('history_frames').where('print_id', '=', printId).execute()
}

/** What a replay reads of a camera's analysed frames, in order of time. The primary camera is null. */
export async function listReplayPredictions(
  db: Kysely<Tables>,
  printId: number,
  cameraId: number | null,
): Promise<
  Pick<Selectable<PredictionsTable>, 'frame_at' | 'current_p' | 'judged_score' | 'normalized_p' | 'detections'>[]
> {
  const query = db
    .selectFrom('predictions')
    .select(['frame_at', 'current_p', 'judged_score', 'normalized_p', 'detections'])
    .where('print_id', '=', printId)
  const those = cameraId === null ? query.where('camera_id', 'is', null) : query.where('camera_id', '=', cameraId)
  return those.orderBy('frame_at').execute()
}
