import { agentSocketCases } from './cases/agent-socket.js'
import { assistantCases } from './cases/assistant.js'
import { assistantChatsCases } from './cases/assistant-chats.js'
import { authenticationCases } from './cases/authentication.js'
import { detectorCases } from './cases/detector.js'
import { errorsCases } from './cases/errors.js'
import { furtherCases } from './cases/further.js'
import { gCodeFilesCases } from './cases/g-code-files.js'
import { gCodeFoldersCases } from './cases/g-code-folders.js'
import { linkingCases } from './cases/linking.js'
import { liveCases } from './cases/live.js'
import { managedPrintsCases } from './cases/managed-prints.js'
import { notificationSettingsCases } from './cases/notification-settings.js'
import { oauthAuthorizeCases } from './cases/oauth-authorize.js'
import { oauthTokenCases } from './cases/oauth-token.js'
import { pathsAndMethodsCases } from './cases/paths-and-methods.js'
import { printChangesCases } from './cases/print-changes.js'
import { printListsCases } from './cases/print-lists.js'
import { printStatsCases } from './cases/print-stats.js'
import { printerActionsCases } from './cases/printer-actions.js'
import { printerOrdersCases } from './cases/printer-orders.js'
import { printerEventsCases } from './cases/printer-events.js'
import { printersCases } from './cases/printers.js'
import { printsCases } from './cases/prints.js'
import { scopesCases } from './cases/scopes.js'
import { sharingCases } from './cases/sharing.js'
import { snapshotsCases } from './cases/snapshots.js'
import { statusMessageCases } from './cases/status-message.js'
import { storedPrintsCases } from './cases/stored-prints.js'
import { transitionsCases } from './cases/transitions.js'
import { usersCases } from './cases/users.js'
import type { Case } from './run.js'

/** Every case, in the order in which they run. A new file of cases is one line here. */
export async function allCases(): Promise<readonly Case[]> {
  return [
    ...authenticationCases,
    ...scopesCases,
    ...oauthAuthorizeCases,
    ...oauthTokenCases,
    ...errorsCases,
    ...pathsAndMethodsCases,
    ...usersCases,
    ...printersCases,
    ...printsCases,
    ...printListsCases,
    ...printChangesCases,
    ...printStatsCases,
    ...managedPrintsCases,
    ...detectorCases,
    ...gCodeFilesCases,
    ...gCodeFoldersCases,
    ...storedPrintsCases,
    ...agentSocketCases,
    ...(await statusMessageCases()),
    ...transitionsCases,
    ...printerActionsCases,
    ...printerOrdersCases,
    ...snapshotsCases,
    ...printerEventsCases,
    ...linkingCases,
    ...sharingCases,
    ...notificationSettingsCases,
    ...assistantChatsCases,
    ...assistantCases,
    ...furtherCases,
    ...liveCases,
  ]
}
