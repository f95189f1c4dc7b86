import type { Case } from './run.js'
import { agentSocketCases } from './cases/agent-socket.js'
import { authenticationCases } from './cases/authentication.js'
import { errorsCases } from './cases/errors.js'
import { liveCases } from './cases/live.js'
import { pathsAndMethodsCases } from './cases/paths-and-methods.js'
import { printerActionsCases } from './cases/printer-actions.js'
import { printersCases } from './cases/printers.js'
import { printsCases } from './cases/prints.js'
import { scopesCases } from './cases/scopes.js'
import { snapshotsCases } from './cases/snapshots.js'
import { statusMessageCases } from './cases/status-message.js'
import { transitionsCases } from './cases/transitions.js'
import { usersCases } from './cases/users.js'

/** Every case, in the order in which they run. A new file of cases is one line here. */
export async function allCases(): Promise<readonly Case[]> {
  return [
    ...authenticationCases,
    ...scopesCases,
    ...errorsCases,
    ...pathsAndMethodsCases,
    ...usersCases,
    ...printersCases,
    ...printsCases,
    ...agentSocketCases,
    ...(await statusMessageCases()),
    ...transitionsCases,
    ...printerActionsCases,
    ...snapshotsCases,
    ...liveCases,
  ]
}
