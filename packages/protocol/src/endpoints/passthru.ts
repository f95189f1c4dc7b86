import { defineEndpoint } from '../endpoint.js'
import { PassthruRequest, PassthruResult } from '../passthru.js'
import { idParams } from './shared.js'

export const callAgent = defineEndpoint({
  id: 'callAgent',
  method: 'POST',
  path: '/api/v1/printers/:id/passthru/',
  tag: 'printers',
  summary: 'Call a function of an existing agent, or of its host',
  description: `For printers behind agents that take such calls. \`target\` names a part of the agent; \`func\` a function of it, for \`moonraker_api\` a path of
the host. The answer comes when the agent has returned. Like every action it answers 200: \`succeeded\` says whether there is a result, \`error\` why not.
The printer's history says who called what.`,
  access: 'write',
  params: idParams,
  body: PassthruRequest,
  output: PassthruResult,
  errors: ['rate_limited'],
  example: { body: { target: '_printer', func: 'home', args: [['x', 'y']], timeout_seconds: 10 } },
})
