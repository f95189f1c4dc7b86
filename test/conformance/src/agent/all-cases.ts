import { agentCommandCases } from './cases/commands.js'
import { agentConnectionCases } from './cases/connection.js'
import { agentEventCases } from './cases/events.js'
import { agentMessageCases } from './cases/messages.js'
import { agentOrderCases } from './cases/orders.js'
import { agentPictureCases } from './cases/pictures.js'
import { agentPrintCases } from './cases/prints.js'
import { agentRefusalCases } from './cases/refusals.js'
import type { AgentCase } from './context.js'

/** Every case about an agent, in the order in which they run: those that make it stop come last. */
export const agentCases: readonly AgentCase[] = [
  ...agentConnectionCases,
  ...agentMessageCases,
  ...agentPictureCases,
  ...agentPrintCases,
  ...agentCommandCases,
  ...agentOrderCases,
  ...agentEventCases,
  ...agentRefusalCases,
]
