import { PrinterEventClass, PrinterEventType } from '@printwarden/protocol'
import { addEvent } from './fake-agent.js'
import { type FakeCall, pageOf } from './fake-api.js'
import { findOrAddCamera } from './fake-camera-records.js'
import { addFile } from './fake-files.js'
import { callerOf, type Handlers, visible } from './fake-handlers.js'
import { inOrder, safeName } from './fake-names.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { type FakeFileRecord, type FakePrinterRecord, type FakeState, tell } from './fake-state.js'
import { fileView } from './fake-views.js'

/** What agents call with their printer's `auth_token`. */
export function agentHandlers(state: FakeState, baseUrl: string): Handlers {
  function printerOf({ printer }: Pick<FakeCall, 'printer'>): FakePrinterRecord {
    if (printer === undefined) throw new FakeRefusal('unauthorized')
    return printer
  }

  const own = (call: Pick<FakeCall, 'user'>): FakeFileRecord[] =>
    [...state.files.values()].filter(({ userId, flat }) => userId === callerOf(call).id && flat.deleted === null)

  function agentPrinterOf({ id, settings: { name, retract_on_pause } }: FakePrinterRecord) {
    const printer = { id, name, is_pro: true, retract_on_pause }
    return { user: { is_pro: true }, printer, server_ts: Date.parse(state.now()) / 1000 }
  }

  return {
    getAgentPrinter: (call) => agentPrinterOf(printerOf(call)),
    updateAgentPrinter(call) {
      const printer = printerOf(call)
      if (call.body.name !== undefined) printer.settings = { ...printer.settings, name: call.body.name }
      tell(state, { type: 'changed' })
      return agentPrinterOf(printer)
    },
    uploadPic(call) {
      const printer = printerOf(call)
      const picture = call.form?.get('pic')
      if (!(picture instanceof Blob) || picture.size === 0) throw new FakeRefusal('invalid_image')
      const record = findOrAddCamera(state, printer, textOf(call, 'camera_name') ?? '')
      const path = `pics/${record.camera.id}.jpg`
      const url = `${baseUrl}/media/${path}?v=${state.nextId()}`
      state.media.set(path, picture)
      record.camera = { ...record.camera, pic: { img_url: url, raw_url: url, ts: Date.parse(state.now()) / 1000 } }
      record.lastFrameAt = state.now()
      tell(state, { type: 'changed' })
      return { result: 'ok' }
    },
    reportPrinterEvent(call) {
      const printer = printerOf(call)
      const event_type = PrinterEventType.safeParse(textOf(call, 'event_type')).data
      const event_class = PrinterEventClass.safeParse(textOf(call, 'event_class')).data
      if (event_type === undefined) throw invalid('event_type', 'is no type of printer event')
      if (event_class === undefined) throw invalid('event_class', 'must be ERROR, WARNING, SUCCESS or INFO')
      const texts = { event_title: textOf(call, 'event_title') ?? '', event_text: textOf(call, 'event_text') ?? '' }
      addEvent(state, printer, { event_type, event_class, ...texts })
      return { result: 'ok' }
    },

    async reportGCodeFile(call) {
      const { id, userId } = printerOf(call)
      const safe_filename = safeName(textOf(call, 'safe_filename') ?? '')
      const agent_signature = textOf(call, 'agent_signature') ?? ''
      const known = own(call).find(
        ({ flat }) => flat.safe_filename === safe_filename && flat.agent_signature === agent_signature,
      )
      if (known !== undefined) return fileView(state, known)
      const filename = textOf(call, 'filename') ?? safe_filename
      const file = await addFile(state, baseUrl, { userId, filename, bytes: undefined, parent: null })
      const bytes = textOf(call, 'num_bytes')
      const num_bytes = bytes === undefined ? null : Number(bytes)
      const url = textOf(call, 'url') ?? null
      file.flat = { ...file.flat, safe_filename, agent_signature, num_bytes, url, resident_printer: id }
      call.out.status = 201
      return fileView(state, file)
    },
    updateReportedGCodeFile(call) {
      const { id } = printerOf(call)
      const file = visible(call, state.files.get(call.params.id))
      if (file.flat.resident_printer !== null && file.flat.resident_printer !== id) throw new FakeRefusal('not_found')
      const safe = textOf(call, 'safe_filename')
      file.flat = {
        ...file.flat,
        safe_filename: safe === undefined ? file.flat.safe_filename : safeName(safe),
        agent_signature: textOf(call, 'agent_signature') ?? file.flat.agent_signature,
        updated_at: state.now(),
      }
      return fileView(state, file)
    },
    listReportedGCodeFiles: (call) => pageOf(call, inOrder(own(call)), 20).map((file) => fileView(state, file)),
    listGCodeFilesAsAgent(call) {
      const { sorting, q, parent_folder, resident_printer, safe_filename, agent_signature } = call.query
      const found = own(call).filter(
        ({ flat }) =>
          (q === undefined || flat.safe_filename.toLowerCase().includes(safeName(q).toLowerCase())) &&
          (parent_folder === undefined || flat.parent_folder === parent_folder) &&
          (safe_filename === undefined || flat.safe_filename === safe_filename) &&
          (agent_signature === undefined || flat.agent_signature === agent_signature) &&
          (safe_filename !== undefined || flat.resident_printer === (resident_printer ?? null)),
      )
      return pageOf(call, inOrder(found, sorting), 20).map((file) => fileView(state, file))
    },
  }
}

/** A text part of the form; nothing when it is empty. */
function textOf(call: Pick<FakeCall, 'form'>, name: string): string | undefined {
  const value = call.form?.get(name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
