import { Backtest, BacktestSettings } from '../backtest.js'
import { defineEndpoint } from '../endpoint.js'
import { idParams } from './shared.js'

const tag = 'detection'

export const backtestPrint = defineEndpoint({
  id: 'backtestPrint',
  method: 'POST',
  path: '/api/v1/prints/:id/backtest/',
  tag,
  summary: 'Judge a past print again with other settings',
  description: `With \`kept_scores\` the answer is complete. \`rerun\` looks at the kept pictures again, whenever no live picture waits: the
answer is 202, and \`getBacktest\` tells how far it is. One rerun of a user at a time (\`conflict\`).`,
  access: 'write',
  params: idParams,
  body: BacktestSettings,
  status: 200,
  otherStatus: 202,
  output: Backtest,
  errors: ['conflict', 'unavailable'],
})

export const getBacktest = defineEndpoint({
  id: 'getBacktest',
  method: 'GET',
  path: '/api/v1/backtests/:id/',
  tag,
  summary: 'One replay of a print',
  access: 'read',
  params: idParams,
  output: Backtest,
})
