import { afterEach, beforeEach, expect, test } from 'vitest'
import { printerFlow } from '../printers/flow.js'
import { statusKey } from '../printers/live-keys.js'
import { NOW, sampleStatus } from '../printers/sample.js'
import type { PrinterRow } from '../printers/store.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import { type GCodeFileRow, insertFile } from './file-store.js'
import { printFlow } from './print-flow.js'

// Printing as several nodes see it: each with its own flows, all on one database.

let world: TestWorld
let printer: PrinterRow
let file: GCodeFileRow
const nodes: ReturnType<typeof openNode>[] = []

function openNode() {
  const printers = printerFlow({ ...world, isMoving: async () => false })
  return { printers, printing: printFlow({ ...world, printers }) }
}

beforeEach(async () => {
  world = await openTestWorld()
  const user_id = await world.addUser()
  printer = await world.addPrinter(user_id)
  await world.live.put(statusKey(printer.id), sampleStatus('Operational'), { ts: NOW, ttlMs: 3_600_000 })
  file = await insertFile(world.db, {
    ...{ user_id, parent_folder_id: null, resident_printer_id: null, printer_path: null },
    ...{ filename: 'boat.gcode', safe_filename: 'boat.gcode', search_name: 'boat.gcode' },
    ...{ blob_key: 'g-code/boat', num_bytes: 3, sha256: 'a'.repeat(64), agent_signature: null },
    ...{ metadata_json: null, filament_total: null, estimated_time: null },
    ...{ created_at: NOW, updated_at: NOW, deleted_at: null },
  })
  nodes.push(openNode(), openNode())
})

afterEach(async () => {
  for (const { printers } of nodes.splice(0)) printers.close()
  await world.close()
})

const print = ({ printing }: ReturnType<typeof openNode>) =>
  printing.print(file, printer, { initiator: 'web' }, (key) => `https://prints.example/${key}`)

test('of two who print on one printer at two nodes at the same time one does, and the other is told that it begins', async () => {
  const agent = world.connectAgent(printer.id)
  const outcomes = await Promise.all(nodes.map(print))
  expect(outcomes.filter(({ succeeded }) => succeeded)).toHaveLength(1)
  expect(outcomes.filter(({ succeeded }) => !succeeded)).toMatchObject([{ command_id: null, reason: { code: 'busy' } }])
  expect(agent.received).toMatchObject([{ cmd: 'print', args: { g_code_file_id: file.id } }])
  const commands = await world.db.selectFrom('commands').select(['id', 'cmd', 'initiator', 'status']).execute()
  const id = outcomes.find(({ succeeded }) => succeeded)?.command_id
  expect(commands).toEqual([{ id, cmd: 'print', initiator: 'web', status: 'sent' }])
})

test('what no agent took does not bar the printer', async () => {
  expect(await print(nodes[0] ?? openNode())).toMatchObject({ succeeded: false, reason: { code: 'not_connected' } })
  const agent = world.connectAgent(printer.id)
  expect(await print(nodes[1] ?? openNode())).toMatchObject({ succeeded: true, reason: null })
  expect(agent.received).toHaveLength(1)
})
