import { PauseArgs, PrintArgs, type RemoteStatus, type ServerToAgent } from '@printwarden/protocol'
import { safeName } from '../../g-code/names.js'
import type { ToAgentPayload } from '../to-agent.js'
import type { Awaited } from './session.js'

/** What becomes of something that is for an upstream agent. */
export type Told =
  | { readonly type: 'frame'; readonly frame: object; readonly awaited?: Awaited }
  /** A picture is wanted: the agent sends one as soon as somebody looks. */
  | { readonly type: 'look'; readonly id: string }
  | { readonly type: 'refused'; readonly id: string; readonly detail: string }
  /** The agent has no word for it and needs none. */
  | { readonly type: 'nothing' }

/** A payload of the bus in the words of upstream agents. `ref` is a name that no other request has. */
export function toUpstream(payload: ToAgentPayload, ref: string): Told {
  switch (payload.type) {
    case 'remote_status':
      return remoteStatus(payload)
    case 'passthru':
      return { type: 'frame', frame: { passthru: payload.passthru } }
    case 'janus':
      return { type: 'frame', frame: { janus: payload.janus } }
    case 'command':
      return command(payload, ref)
  }
}

/** What the server answers a message with: upstream agents know of its keys only the one. */
export function answerFrame({ remote_status }: ServerToAgent): object | undefined {
  const told = remote_status === undefined ? undefined : remoteStatus(remote_status)
  return told?.type === 'frame' ? told.frame : undefined
}

function remoteStatus({ viewing, should_watch }: RemoteStatus): Told {
  if (viewing === undefined && should_watch === undefined) return { type: 'nothing' }
  const remote_status = {
    ...(viewing === undefined ? {} : { viewing }),
    ...(should_watch === undefined ? {} : { should_watch }),
  }
  return { type: 'frame', frame: { remote_status } }
}

/** Additions of ours are left out: some agents fail on arguments that they do not know. */
function command({ id, cmd, args, initiator }: Extract<ToAgentPayload, { type: 'command' }>, ref: string): Told {
  switch (cmd) {
    case 'pause':
      return { type: 'frame', frame: commandFrame(cmd, pauseArgs(args), initiator), awaited: { id, cmd } }
    case 'resume':
    case 'cancel':
      return { type: 'frame', frame: commandFrame(cmd, {}, initiator), awaited: { id, cmd } }
    case 'print':
      return download(id, args, ref)
    case 'snapshot':
      return { type: 'look', id }
    case 'connect':
    case 'start_watching':
    case 'stop_watching':
    case 'emergency_stop':
    case 'restart_firmware':
    case 'answer_prompt':
    case 'exclude_object':
    case 'list_files':
    case 'print_file':
      return { type: 'refused', id, detail: 'The agent of this printer cannot do this; do it at the printer.' }
  }
}

const commandFrame = (cmd: string, args: object, initiator: string): object => ({
  commands: [{ cmd, args, initiator }],
})

function pauseArgs(args: unknown): object {
  const { retract, lift_z, tools_off, bed_off } = PauseArgs.safeParse(args).data ?? {}
  return {
    ...(retract === undefined ? {} : { retract }),
    ...(lift_z === undefined ? {} : { lift_z }),
    ...(tools_off === true ? { tools_off } : {}),
    ...(bed_off === true ? { bed_off } : {}),
  }
}

/** The agent fetches the file and starts it; its reply says whether it does. */
function download(id: string, args: unknown, ref: string): Told {
  const file = PrintArgs.safeParse(args).data
  if (file === undefined) return { type: 'refused', id, detail: 'The file cannot be handed over.' }
  const { g_code_file_id, url, filename } = file
  const wanted = { id: g_code_file_id, url, filename, safe_filename: safeName(filename) }
  const passthru = { target: 'file_downloader', func: 'download', args: [wanted], ref }
  return { type: 'frame', frame: { passthru }, awaited: { id, cmd: 'print', ref } }
}
