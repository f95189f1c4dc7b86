import type { ActionProposal } from '@printwarden/protocol'
import { createFakeServer, FakeRefusal } from '@printwarden/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openNotices } from '../notices.js'
import { openProposals } from './proposals.js'

const proposal = (changes: Partial<ActionProposal> = {}): ActionProposal => ({
  id: 1,
  action: 'pause',
  printer_id: 2,
  printer_name: 'Left',
  print_id: 3,
  g_code_file_id: null,
  filename: 'benchy.gcode',
  reason: 'You asked for it.',
  state: 'waiting',
  error: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:15:00.000Z',
  decided_at: null,
  ...changes,
})

/** A server that answers confirmations by `confirm`, and lists `listed`. */
function world(confirm: () => ActionProposal, listed: ActionProposal[] = []) {
  const server = createFakeServer()
  let confirmed = 0
  server.on('confirmActionProposal', () => {
    confirmed += 1
    return confirm()
  })
  server.on('listActionProposals', () => listed)
  const notices = openNotices()
  const proposals = openProposals(server.client({ session: true }), notices)
  proposals.put([proposal()])
  const state = () => proposals.known.value.get(1)?.state
  return { proposals, notices, state, confirmed: () => confirmed }
}

test('it is confirmed once, however often the button is pressed', async () => {
  const { proposals, state, confirmed } = world(() => proposal({ state: 'done' }))
  proposals.confirm(proposal())
  proposals.confirm(proposal())
  proposals.dismiss(proposal())
  expect(state()).toBe('running')
  await vi.waitFor(() => expect(state()).toBe('done'))
  expect(confirmed()).toBe(1)
})

test('one that was decided elsewhere is shown as it is by now', async () => {
  const gone = proposal({ state: 'dismissed' })
  const { proposals, notices, state, confirmed } = world(() => {
    throw new FakeRefusal('conflict', 'The proposal is dismissed already.')
  }, [gone])
  proposals.confirm(proposal())
  await vi.waitFor(() => expect(state()).toBe('dismissed'))
  expect(confirmed()).toBe(1)
  expect(notices.list.value.map(({ text }) => text)).toEqual(['The proposal is dismissed already.'])
})
