// Every endpoint by its id. An endpoint that is not listed here has no route, no document and no SDK method.
export {
  createInvitation,
  createPasswordResetLink,
  deleteInvitation,
  endSession,
  listInvitations,
  listSecurityEvents,
  listSessions,
  removeTwoStep,
  rotateAuthToken,
  signOutEverywhere,
} from './endpoints/account.js'
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
export {
  answerAlert,
  deleteDetectionExample,
  exportDetectionExamples,
  getAlert,
  getCalibration,
  labelFrame,
  listDetectionExamples,
  listPrintAlerts,
  listPrintFrames,
  removeCalibrationAnswer,
  resetCalibration,
} from './endpoints/alerts.js'
export {
  analysePlate,
  contactSupport,
  createChat,
  deleteChat,
  getAssistantMe,
  getChat,
  listChats,
  replaceChat,
  sendChatMessage,
  updateChat,
} from './endpoints/assistant.js'
export {
  getAssistantStatus,
  grantAiCredits,
  listAiCreditEntries,
  listSupportRequests,
} from './endpoints/assistant-admin.js'
export {
  confirmActionProposal,
  createPostMortem,
  dismissActionProposal,
  getPostMortem,
  listActionProposals,
} from './endpoints/assistant-actions.js'
export { backtestPrint, getBacktest } from './endpoints/backtests.js'
export { getAgentPrinter, reportPrinterEvent, updateAgentPrinter, uploadPic } from './endpoints/agent.js'
export { forgetBaseline, getCameraLearned, listCameras, updateCamera, updateCameras } from './endpoints/cameras.js'
export { listDeviations } from './endpoints/deviations.js'
export {
  deleteGCodeFile,
  deleteGCodeFiles,
  getGCodeFile,
  listGCodeFiles,
  listGCodeFilesAsAgent,
  listReportedGCodeFiles,
  moveGCodeFiles,
  printGCodeFile,
  replaceGCodeFile,
  reportGCodeFile,
  updateGCodeFile,
  updateReportedGCodeFile,
  uploadGCodeFile,
} from './endpoints/g-code-files.js'
export {
  createGCodeFolder,
  deleteGCodeFolder,
  deleteGCodeFolders,
  getGCodeFolder,
  listGCodeFolders,
  moveGCodeFolders,
  replaceGCodeFolder,
  updateGCodeFolder,
} from './endpoints/g-code-folders.js'
export { findFailures, findFailuresAt } from './endpoints/detector.js'
export {
  getPrintShotFeedback,
  listPrintShotFeedbacks,
  replacePrintShotFeedback,
  updatePrintShotFeedback,
} from './endpoints/feedbacks.js'
export { listFirstLayerImages } from './endpoints/first-layer.js'
export {
  announceUnlinkedAgent,
  claimPasscode,
  getLinkCode,
  linkPrinter,
  listUnlinkedAgents,
  pollAgentLink,
  requestLinkCode,
  sendLinkCode,
  startAgentLink,
  verifyLinkCode,
  verifyLinkCodeByGet,
} from './endpoints/linking.js'
export { createLiveTicket } from './endpoints/live.js'
export {
  allowSlicer,
  createOAuthApp,
  createPersonalToken,
  deleteOAuthApp,
  disconnectApp,
  getOAuthApp,
  listClients,
  listConnectedApps,
  listOAuthApps,
  listPersonalTokens,
  listTokens,
  removeClient,
  revokePersonalToken,
  revokeTokenById,
  rotateClientSecret,
  rotateOAuthAppSecret,
  updateOAuthApp,
} from './endpoints/oauth.js'
export { getMobileDevice, listMobileDevices, registerMobileDevice } from './endpoints/mobile-devices.js'
export {
  createNotificationSetting,
  deleteNotificationSetting,
  getNotificationSetting,
  listNotificationPlugins,
  listNotificationSettings,
  replaceNotificationSetting,
  sendTestNotification,
  updateNotificationSetting,
} from './endpoints/notification-settings.js'
export { callAgent } from './endpoints/passthru.js'
export { listPrinterEvents } from './endpoints/printer-events.js'
export {
  acknowledgeAlert,
  answerPrompt,
  archivePrinter,
  cancelPrint,
  connectPrinter,
  createPrinter,
  deletePrinter,
  emergencyStop,
  excludeObject,
  finishPrint,
  getCommand,
  getPrinter,
  listFiles,
  listPrinters,
  muteCurrentPrint,
  pausePrint,
  predictPrint,
  printFile,
  rearmPrinter,
  runSelfTest,
  restartFirmware,
  resumePrint,
  startPrint,
  unarchivePrinter,
  updatePrinter,
} from './endpoints/printers.js'
export {
  bulkDeletePrints,
  deletePrint,
  getPredictionJson,
  getPrint,
  getPrintStats,
  listPrints,
  updatePrint,
  retryTimelapse,
  uploadTimelapse,
} from './endpoints/prints.js'
export {
  getSlicerJob,
  getSlicerPrinter,
  getSlicerSettings,
  getSlicerVersion,
  listSlicerProfiles,
  uploadFromSlicer,
  uploadFromSlicerToPrinter,
} from './endpoints/slicers.js'
export { importBytes, importRecords } from './endpoints/imports.js'
export { applyRetention, getRetention } from './endpoints/retention.js'
export { listSharedResources, sharePrinter, unsharePrinter } from './endpoints/sharing.js'
export { getMe, updateMe } from './endpoints/users.js'
export { getVersion } from './endpoints/version.js'
