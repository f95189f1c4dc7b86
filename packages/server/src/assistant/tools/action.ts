import { PROPOSED_ACTIONS } from '@printwarden/protocol'
import { z } from 'zod'
import { plainText } from './data-text.js'
import { defineTool, noAnswer } from './tool.js'

const MAX_REASON = 300

export const proposeAction = defineTool({
  name: 'propose_action',
  description:
    'Propose to pause, resume or cancel what a printer prints now, or to print a stored file on it. Nothing is done: the user is shown the proposal, and decides. Only when the user asked for it, or a print needs it.',
  input: z.object({
    action: z.enum(PROPOSED_ACTIONS),
    printer_id: z.int().positive(),
    g_code_file_id: z.int().positive().optional().describe('the file to print'),
    reason: z.string().describe('why, in one sentence for the user'),
  }),
  async run({ action, printer_id, g_code_file_id = null, reason }, { user_id }, { proposing }) {
    const wish = { action, printer_id, g_code_file_id, reason: plainText(reason, MAX_REASON) }
    const checked = await proposing.check(user_id, wish)
    if ('refusal' in checked) return noAnswer(checked.refusal)
    return { data: { proposed: true, note: 'Nothing was done. The user decides in the dashboard.' }, proposal: checked }
  },
})
