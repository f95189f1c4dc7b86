// Every endpoint by its id. An endpoint that is not listed here has no route, no document and no SDK method.
export {
  addClient,
  addPrinterFor,
  adminSignIn,
  createAccount,
  issueToken,
  listAccounts,
  revokeToken,
  seed,
  updateAccount,
} from './endpoints/admin.js'
export { getAgentPrinter, reportPrinterEvent, uploadPic } from './endpoints/agent.js'
export { createLiveTicket } from './endpoints/live.js'
export { listPrinterEvents } from './endpoints/printer-events.js'
export {
  acknowledgeAlert,
  archivePrinter,
  cancelPrint,
  createPrinter,
  deletePrinter,
  getCommand,
  getPrinter,
  listPrinters,
  muteCurrentPrint,
  pausePrint,
  rearmPrinter,
  resumePrint,
  unarchivePrinter,
  updatePrinter,
} from './endpoints/printers.js'
export { getPredictionJson, getPrint, listPrints } from './endpoints/prints.js'
export { getMe, updateMe } from './endpoints/users.js'
export { getVersion } from './endpoints/version.js'
