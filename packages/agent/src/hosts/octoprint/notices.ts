import type { PrinterPrompt } from '@printwarden/protocol'
import type { HostNotice } from '../../host.js'

/** The plugins whose messages are read: what the firmware shows on the printer's display by its action commands. */
export const PLUGINS = ['action_command_notification', 'action_command_prompt']

/** What an event says that a person should know, beside the turns of the print. */
export function noticeOfEvent(event: string, payload: Record<string, unknown>): HostNotice | undefined {
  switch (event) {
    case 'FilamentChange':
      return { about: 'filament_change', title: 'Filament change', text: 'The printer waits for another filament.' }
    case 'Error':
      return { about: 'error', title: 'Printer error', text: textOf(payload.error) ?? 'OctoPrint reports an error.' }
    case 'EStop':
      return { about: 'error', title: 'Emergency stop', text: 'The printer was stopped by an emergency stop.' }
    default:
      return undefined
  }
}

/**
 * The question after a plugin's message, where it is about one: undefined when it is answered, or was taken back; the one before when
 * it is not about that.
 *
 * @param id of a question that begins with this message
 */
export function promptAfter(
  before: PrinterPrompt | undefined,
  plugin: string,
  data: Record<string, unknown>,
  id: string,
): PrinterPrompt | undefined {
  if (plugin !== 'action_command_prompt') return before
  if (data.action === 'show') return promptOf(data, id)
  return data.action === 'close' ? undefined : before
}

/** A question as the plugin tells it; undefined when there is none. */
export function promptOf(data: Record<string, unknown>, id: string): PrinterPrompt | undefined {
  const choices = Array.isArray(data.choices) ? data.choices.filter((choice) => typeof choice === 'string') : []
  const text = textOf(data.text)
  if (text === undefined && choices.length === 0) return undefined
  return { id, text: text ?? 'The printer asks a question.', choices: choices.slice(0, 50) }
}

/** What a person should know of a question. */
export function questionNotice({ text, choices }: PrinterPrompt): HostNotice {
  const words = choices.length > 0 ? `${text} (${choices.join(' / ')})` : text
  return { about: 'question', title: 'The printer asks', text: words }
}

/** What the printer's display shows: undefined when this message is not about that, null when it was cleared. */
export function displayedBy(plugin: string, data: Record<string, unknown>): string | null | undefined {
  return plugin === 'action_command_notification' ? (textOf(data.message) ?? null) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 4000) : undefined
}
