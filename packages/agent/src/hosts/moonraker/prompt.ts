import type { PrinterPrompt } from '@printwarden/protocol'

/** A dialog that a macro opens by `RESPOND TYPE=command MSG="action:prompt_…"`. */
export interface Dialog {
  readonly id: string
  readonly title: string
  readonly lines: readonly string[]
  readonly buttons: readonly { readonly label: string; readonly gCode: string }[]
  readonly isShown: boolean
}

const ACTION = /^\/\/\s*action:(prompt_\w+)(?:\s+(.*))?$/s
/** More than these nobody reads, and a macro that never ends its dialog does not grow it for ever. */
const MOST_BUTTONS = 50
const MOST_LINES = 50
const END = 'RESPOND TYPE=command MSG="action:prompt_end"'

/**
 * The dialog after a line of Klipper's answers; undefined when there is none (any more).
 *
 * @param id of a dialog that begins with this line
 */
export function afterResponse(dialog: Dialog | undefined, line: string, id: string): Dialog | undefined {
  const [, action = '', text = ''] = ACTION.exec(line.trim()) ?? []
  switch (action) {
    case 'prompt_begin':
      return { id, title: text.trim(), lines: [], buttons: [], isShown: false }
    case 'prompt_text':
      return dialog && { ...dialog, lines: [...dialog.lines, text.trim()].slice(0, MOST_LINES) }
    case 'prompt_button':
    case 'prompt_footer_button':
      return dialog && { ...dialog, buttons: [...dialog.buttons, buttonOf(text)].slice(0, MOST_BUTTONS) }
    case 'prompt_show':
      return dialog && { ...dialog, isShown: true }
    case 'prompt_end':
      return undefined
    default:
      return dialog
  }
}

/** `label|G-code|colour`; without G-code the label is the G-code. */
function buttonOf(text: string): { label: string; gCode: string } {
  const [label = '', gCode = ''] = text.split('|').map((part) => part.trim())
  return { label, gCode: gCode === '' ? label : gCode }
}

/** The buttons, and a last one that closes the dialog: front ends have one of their own for that. */
export function choicesOf({ buttons }: Dialog): readonly { readonly label: string; readonly gCode: string }[] {
  const closes = buttons.some(({ gCode }) => /prompt_end/i.test(gCode))
  return closes ? buttons : [...buttons, { label: 'Close', gCode: END }]
}

/** The dialog as the agent reports it, once it is shown. */
export function promptOf(dialog: Dialog | undefined): PrinterPrompt | undefined {
  if (!dialog?.isShown) return undefined
  const text = [dialog.title, ...dialog.lines].filter((line) => line !== '').join('\n')
  return {
    id: dialog.id,
    text: text.slice(0, 4000),
    choices: choicesOf(dialog).map(({ label }) => label.slice(0, 200)),
  }
}
