import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/**
 * What detection explains and learns: alerts with what they were judged by, the user's answers about pictures and what they do to a
 * camera's scores, small pictures of past prints, replays of them, and who asked for a pause, a resume or an end.
 */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await addColumns({ schema }, types)
  await createAlerts({ schema }, types)
  await createExamples({ schema }, types)
  await createHistory({ schema }, types)
}

type Schema = Pick<Kysely<unknown>, 'schema'>

async function addColumns({ schema }: Schema, types: Types): Promise<void> {
  await schema
    .alterTable('cameras')
    .addColumn('calibration_offset', types.number, (c) => c.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('users')
    .addColumn('detection_export_consent', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  for (const table of ['commands', 'printer_events']) {
    await schema.alterTable(table).addColumn('initiator_name', 'text').execute()
    await schema.alterTable(table).addColumn('reason', 'text').execute()
    // No reference: what is told of an alert stays when the alert goes with its print.
    await schema.alterTable(table).addColumn('alert_id', 'integer').execute()
  }
  await schema.alterTable('printer_events').addColumn('initiator', 'text').execute()
  await schema.alterTable('prints').addColumn('last_action', 'text').execute()
  // As the detector gave it, and as it counted before calibration; null in rows from before.
  await schema.alterTable('predictions').addColumn('score', types.number).execute()
  await schema.alterTable('predictions').addColumn('judged_score', types.number).execute()
  await schema.alterTable('print_shot_feedbacks').addColumn('frame_at', 'bigint').execute()
  await schema.alterTable('print_shot_feedbacks').addColumn('camera_id', 'integer').execute()
}

async function createAlerts({ schema }: Schema, types: Types): Promise<void> {
  await schema
    .createTable('alerts')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('camera_id', 'integer', (c) => c.references('cameras.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('frame_at', 'bigint', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('score', types.number, (c) => c.notNull())
    .addColumn('normalized_p', types.number, (c) => c.notNull())
    .addColumn('image_key', 'text')
    .addColumn('raw_key', 'text')
    .addColumn('detections', 'text', (c) => c.notNull())
    .addColumn('evidence', 'text', (c) => c.notNull())
    .addColumn('command_id', 'text')
    .addColumn('answer', 'text')
    .addColumn('answered_at', 'bigint')
    .addColumn('answered_by', 'text')
    .execute()
  await schema.createIndex('alerts_print').on('alerts').columns(['print_id', 'created_at']).execute()
  await schema.createIndex('alerts_printer').on('alerts').column('printer_id').execute()
  await schema.createIndex('alerts_user').on('alerts').column('user_id').execute()
  await schema.createIndex('alerts_camera').on('alerts').column('camera_id').execute()
}

async function createExamples({ schema }: Schema, types: Types): Promise<void> {
  await schema
    .createTable('detection_examples')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('camera_id', 'integer', (c) => c.references('cameras.id').onDelete('set null'))
    .addColumn('alert_id', 'integer', (c) => c.references('alerts.id').onDelete('set null'))
    .addColumn('shot_id', 'integer', (c) => c.references('print_shot_feedbacks.id').onDelete('set null'))
    .addColumn('frame_at', 'bigint', (c) => c.notNull())
    .addColumn('image_key', 'text', (c) => c.notNull())
    .addColumn('detections', 'text', (c) => c.notNull())
    .addColumn('score', types.number, (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('answered_by', 'text')
    .addColumn('is_calibrating', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('detection_examples_user').on('detection_examples').columns(['user_id', 'id']).execute()
  await schema.createIndex('detection_examples_camera').on('detection_examples').columns(['camera_id', 'id']).execute()
  await schema
    .createIndex('detection_examples_print')
    .on('detection_examples')
    .columns(['print_id', 'frame_at'])
    .execute()
  await schema.createIndex('detection_examples_printer').on('detection_examples').column('printer_id').execute()
  await schema.createIndex('detection_examples_alert').on('detection_examples').column('alert_id').execute()
  await schema.createIndex('detection_examples_shot').on('detection_examples').column('shot_id').execute()
}

async function createHistory({ schema }: Schema, types: Types): Promise<void> {
  await schema
    .createTable('history_frames')
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('frame_at', 'bigint', (c) => c.notNull())
    .addColumn('width', 'integer', (c) => c.notNull())
    .addColumn('height', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('history_frames_key', ['print_id', 'frame_at'])
    .execute()
  // How a camera was before the first frame of a print: a replay begins there.
  await schema
    .createTable('smoothing_starts')
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('camera_id', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('smoothing_starts_key', ['print_id', 'camera_id'])
    .execute()
  await schema
    .createTable('backtests')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('progress', types.number, (c) => c.notNull())
    .addColumn('result', 'text')
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema.createIndex('backtests_user').on('backtests').columns(['user_id', 'status']).execute()
  await schema.createIndex('backtests_print').on('backtests').column('print_id').execute()
}
