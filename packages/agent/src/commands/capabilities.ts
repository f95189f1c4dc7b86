import type { CommandName } from '@printwarden/protocol'
import type { PrinterHost } from '../host.js'

/** The commands that a printer behind this host can be given, for whoever offers them to people. */
export function commandsOf(host: PrinterHost): CommandName[] {
  if (host.watch) return ['snapshot', 'start_watching', 'stop_watching']
  return [
    ...(['pause', 'resume', 'cancel', 'print', 'snapshot'] as const),
    ...(host.connectPrinter ? (['connect'] as const) : []),
    ...(host.emergencyStop ? (['emergency_stop'] as const) : []),
    ...(host.restartFirmware ? (['restart_firmware'] as const) : []),
    ...(host.excludeObject ? (['exclude_object'] as const) : []),
    ...(host.answerPrompt ? (['answer_prompt'] as const) : []),
    ...(host.listFiles ? (['list_files'] as const) : []),
    ...(host.printOwn ? (['print_file'] as const) : []),
  ]
}
