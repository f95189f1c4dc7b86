// Made by "npm run generate" from the endpoints of packages/protocol. Do not edit.
import type { UploadFile } from './multipart.js'
import type { CallOptions, Input, Operation, Output, Parameters, UploadOptions } from './operation.js'
import type { Item, Paging } from './paging.js'

/** One method for each endpoint of the REST API. */
export interface Methods {
  /**
   * Acknowledge the failure alert of the current print.
   *
   * `POST /api/v1/printers/{id}/acknowledge_alert/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  acknowledgeAlert(input: Input<'acknowledgeAlert'>, options?: CallOptions): Promise<Output<'acknowledgeAlert'>>

  /**
   * Register an OAuth client.
   *
   * A confidential client gets a secret, told only here. Redirect URIs are absolute and without a fragment; schemes other than http and https are for public clients.
   *
   * `POST /api/v1/admin/clients/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  addClient(input: Input<'addClient'>, options?: CallOptions): Promise<Output<'addClient'>>

  /**
   * Add a printer to an account.
   *
   * `POST /api/v1/admin/printers/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  addPrinterFor(input: Input<'addPrinterFor'>, options?: CallOptions): Promise<Output<'addPrinterFor'>>

  /**
   * A short-lived token for an administrator.
   *
   * For programs that administer the server with an e-mail address and a password. Wrong tries are limited as on the sign-in page. An account that signs in in two steps needs `code`; without it the answer is 401 with an issue at `code`.
   *
   * `POST /api/v1/admin/sign_in/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `unauthorized`, `insufficient_scope`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  adminSignIn(input: Input<'adminSignIn'>, options?: CallOptions): Promise<Output<'adminSignIn'>>

  /**
   * Let a slicer with a fixed client id sign users in by the implicit grant.
   *
   * Off until this is called; deleting the app ends it. Allowing it twice changes nothing.
   *
   * `POST /api/v1/admin/slicers/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  allowSlicer(input: Input<'allowSlicer'>, options?: CallOptions): Promise<Output<'allowSlicer'>>

  /**
   * Ask the assistant how to print a plate, by pictures of it.
   *
   * Costs one credit, taken before the model is asked and given back when the model fails. 402 when the credits are used up; 503 `assistant_not_configured` without a model, which costs nothing. Pictures are looked at before: what is no picture, or more than 24 megapixels, is 400 `invalid_image`.
   *
   * `POST /assistant/api/plate_analysis/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `invalid_image`, `credits_exhausted`, `rate_limited`, `assistant_not_configured`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  analysePlate(input: Input<'analysePlate'>, options?: CallOptions): Promise<Output<'analysePlate'>>

  /**
   * An agent that belongs to nobody says that it is there.
   *
   * Every few seconds, with what is known about the machine. The answer holds the code that a user sent it, if any, and, when asked for, a passcode for the agent to show. What cannot be understood of the machine is left out; too many at once are told 503, since some agents give up on 429.
   *
   * `POST /api/v1/agent/unlinked/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  announceUnlinkedAgent(input: Input<'announceUnlinkedAgent'>, options?: CallOptions): Promise<Output<'announceUnlinkedAgent'>>

  /**
   * Say whether an alert was right.
   *
   * Changes what this camera's scores count for at once, within bounds, and acknowledges the alert while it stands. `null` takes
   * the answer back.
   *
   * `POST /api/v1/alerts/{id}/answer/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  answerAlert(input: Input<'answerAlert'>, options?: CallOptions): Promise<Output<'answerAlert'>>

  /**
   * Answer the question that the printer asks.
   *
   * The question is `status.prompt`; `choice` is the place of the answer in its `choices`, from 0. An answer to a question that is not asked any more is refused by the agent.
   *
   * `POST /api/v1/printers/{id}/answer_prompt/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  answerPrompt(input: Input<'answerPrompt'>, options?: CallOptions): Promise<Output<'answerPrompt'>>

  /**
   * Take away what retention takes, now.
   *
   * Runs by itself once a day. The answer is what went.
   *
   * `POST /api/v1/admin/retention/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  applyRetention(options?: CallOptions): Promise<Output<'applyRetention'>>

  /**
   * Archive a printer.
   *
   * Archiving twice changes nothing.
   *
   * `POST /api/v1/printers/{id}/archive/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  archivePrinter(input: Input<'archivePrinter'>, options?: CallOptions): Promise<Output<'archivePrinter'>>

  /**
   * Judge a past print again with other settings.
   *
   * With `kept_scores` the answer is complete. `rerun` looks at the kept pictures again, whenever no live picture waits: the
   * answer is 202, and `getBacktest` tells how far it is. One rerun of a user at a time (`conflict`).
   *
   * `POST /api/v1/prints/{id}/backtest/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  backtestPrint(input: Input<'backtestPrint'>, options?: CallOptions): Promise<Output<'backtestPrint'>>

  /**
   * Delete several prints.
   *
   * At most 1000 ids. Those that are unknown, not the caller's, or of running prints are ignored.
   *
   * `POST /api/v1/prints/bulk_delete/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  bulkDeletePrints(input: Input<'bulkDeletePrints'>, options?: CallOptions): Promise<Output<'bulkDeletePrints'>>

  /**
   * Call a function of an existing agent, or of its host.
   *
   * For printers behind agents that take such calls. `target` names a part of the agent; `func` a function of it, for `moonraker_api` a path of
   * the host. The answer comes when the agent has returned. Like every action it answers 200: `succeeded` says whether there is a result, `error` why not.
   * The printer's history says who called what.
   *
   * `POST /api/v1/printers/{id}/passthru/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  callAgent(input: Input<'callAgent'>, options?: CallOptions): Promise<Output<'callAgent'>>

  /**
   * Cancel the current print.
   *
   * `POST /api/v1/printers/{id}/cancel_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  cancelPrint(input: Input<'cancelPrint'>, options?: CallOptions): Promise<Output<'cancelPrint'>>

  /**
   * Give a code to the agent that shows this passcode.
   *
   * Five wrong tries a minute.
   *
   * `POST /api/v1/one_time_passcodes/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  claimPasscode(input: Input<'claimPasscode'>, options?: CallOptions): Promise<Output<'claimPasscode'>>

  /**
   * Do what the assistant proposed.
   *
   * Only from a signed-in browser: no token can confirm. 409 when it was decided before, has expired, or the printer prints something else by now. The answer says how it went: `done`, or `failed` with why.
   *
   * `POST /api/v1/assistant/proposals/{id}/confirm/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  confirmActionProposal(input: Input<'confirmActionProposal'>, options?: CallOptions): Promise<Output<'confirmActionProposal'>>

  /**
   * Let the printer host connect to its printer.
   *
   * For hosts that stay disconnected after a fault or a cable that was pulled. A command, as a pause is; the printer need not print.
   *
   * `POST /api/v1/printers/{id}/connect/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  connectPrinter(input: Input<'connectPrinter'>, options?: CallOptions): Promise<Output<'connectPrinter'>>

  /**
   * Write to whoever runs this server.
   *
   * The request is kept, then mailed or posted to the address that the operator has set; when that fails it is tried again. With `include_diagnostics` the state of the printers is sent along, without names, files, addresses or keys. Five requests an hour.
   *
   * `POST /assistant/api/contact_support/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  contactSupport(input: Input<'contactSupport'>, options?: CallOptions): Promise<Output<'contactSupport'>>

  /**
   * Add an account.
   *
   * `POST /api/v1/admin/users/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createAccount(input: Input<'createAccount'>, options?: CallOptions): Promise<Output<'createAccount'>>

  /**
   * Keep a chat.
   *
   * A user keeps at most 1000: beyond that 409.
   *
   * `POST /assistant/api/chats/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createChat(input: Input<'createChat'>, options?: CallOptions): Promise<Output<'createChat'>>

  /**
   * Create a G-code folder.
   *
   * Names are told apart as `safe_name`; two folders beside each other cannot share one.
   *
   * `POST /api/v1/g_code_folders/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  createGCodeFolder(input: Input<'createGCodeFolder'>, options?: CallOptions): Promise<Output<'createGCodeFolder'>>

  /**
   * Invite somebody to make an account.
   *
   * The link works once, within seven days, and is told only here. With an address, and when the server can send mail, it is mailed there too.
   *
   * `POST /api/v1/admin/invitations/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createInvitation(input?: Input<'createInvitation'>, options?: CallOptions): Promise<Output<'createInvitation'>>

  /**
   * A ticket that opens the live websocket once.
   *
   * For browsers, which cannot set headers on a websocket: `/ws/live/?ticket=…`, within 30 seconds, once. The socket itself needs `read`.
   *
   * `POST /api/v1/live/ticket/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  createLiveTicket(options?: CallOptions): Promise<Output<'createLiveTicket'>>

  /**
   * Be notified by one more channel.
   *
   * What `config` holds depends on the channel: nothing for `email`; `webhook_url` for `discord`; `access_token` for `pushbullet` and `slack`; `user_key` for `pushover`; `chat_id` for `telegram`; `phone_country_code` and `phone_number` for `twilio`; `custom_webhook_URL` for `webhook`; `apprise_url` for `apprise`. Addresses are http(s). A channel that the user has already is 409.
   *
   * `POST /api/v1/notification_settings/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createNotificationSetting(input: Input<'createNotificationSetting'>, options?: CallOptions): Promise<Output<'createNotificationSetting'>>

  /**
   * Register an app.
   *
   * A confidential app gets a secret, told only here. A public one must use PKCE. Redirect URIs are absolute and without a fragment; schemes other than http and https are for public apps.
   *
   * `POST /api/v1/oauth/apps/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createOAuthApp(input: Input<'createOAuthApp'>, options?: CallOptions): Promise<Output<'createOAuthApp'>>

  /**
   * A link by which an account gets a new password.
   *
   * It works once, within an hour. Setting the password ends the sessions of the account.
   *
   * `POST /api/v1/admin/users/{id}/password_reset/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  createPasswordResetLink(input: Input<'createPasswordResetLink'>, options?: CallOptions): Promise<Output<'createPasswordResetLink'>>

  /**
   * Make a personal access token, told only here.
   *
   * `POST /api/v1/oauth/tokens/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  createPersonalToken(input: Input<'createPersonalToken'>, options?: CallOptions): Promise<Output<'createPersonalToken'>>

  /**
   * Ask the assistant why a print failed.
   *
   * Judges by the pictures, scores, temperatures and events that were kept of the print, and cites them. Costs one credit, taken before the model is asked and given back when it fails. The answer is kept in place of the one before. 409 while the print runs. Needs the scope `read` too, since the answer tells of the print and shows its pictures.
   *
   * With `Accept: text/event-stream` the answer comes as events: `look` (an AssistantLook) for what is read, then `message` (the body that is otherwise answered) or `error` (a problem).
   *
   * `POST /api/v1/prints/{id}/post_mortem/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`, `credits_exhausted`, `rate_limited`, `assistant_not_configured`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  createPostMortem(input: Input<'createPostMortem'>, options?: CallOptions): Promise<Output<'createPostMortem'>>

  /**
   * Add a printer.
   *
   * The answer holds the `auth_token` for its agent.
   *
   * `POST /api/v1/printers/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  createPrinter(input: Input<'createPrinter'>, options?: CallOptions): Promise<Output<'createPrinter'>>

  /**
   * Delete a chat.
   *
   * `DELETE /assistant/api/chats/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteChat(input: Input<'deleteChat'>, options?: CallOptions): Promise<Output<'deleteChat'>>

  /**
   * Forget a labelled picture.
   *
   * `DELETE /api/v1/detection/examples/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteDetectionExample(input: Input<'deleteDetectionExample'>, options?: CallOptions): Promise<Output<'deleteDetectionExample'>>

  /**
   * Delete a G-code file.
   *
   * Its bytes are removed. Prints that were made of it still show its name.
   *
   * `DELETE /api/v1/g_code_files/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteGCodeFile(input: Input<'deleteGCodeFile'>, options?: CallOptions): Promise<Output<'deleteGCodeFile'>>

  /**
   * Delete several G-code files.
   *
   * Ids that are not yours are ignored.
   *
   * `POST /api/v1/g_code_files/bulk_delete/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  deleteGCodeFiles(input: Input<'deleteGCodeFiles'>, options?: CallOptions): Promise<Output<'deleteGCodeFiles'>>

  /**
   * Delete a G-code folder with everything in it.
   *
   * `DELETE /api/v1/g_code_folders/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteGCodeFolder(input: Input<'deleteGCodeFolder'>, options?: CallOptions): Promise<Output<'deleteGCodeFolder'>>

  /**
   * Delete several G-code folders with everything in them.
   *
   * Ids that are not yours are ignored. The answer counts the folders that were named.
   *
   * `POST /api/v1/g_code_folders/bulk_delete/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  deleteGCodeFolders(input: Input<'deleteGCodeFolders'>, options?: CallOptions): Promise<Output<'deleteGCodeFolders'>>

  /**
   * Take an invitation back.
   *
   * `DELETE /api/v1/admin/invitations/{id}/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteInvitation(input: Input<'deleteInvitation'>, options?: CallOptions): Promise<Output<'deleteInvitation'>>

  /**
   * Be no longer notified by a channel.
   *
   * `email` stays, 409: it can be switched off by `enabled`.
   *
   * `DELETE /api/v1/notification_settings/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  deleteNotificationSetting(input: Input<'deleteNotificationSetting'>, options?: CallOptions): Promise<Output<'deleteNotificationSetting'>>

  /**
   * Delete an app and everything that was issued to it.
   *
   * `DELETE /api/v1/oauth/apps/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deleteOAuthApp(input: Input<'deleteOAuthApp'>, options?: CallOptions): Promise<Output<'deleteOAuthApp'>>

  /**
   * Delete a print with its pictures and videos.
   *
   * A running print is not deleted (`conflict`): cancel it first.
   *
   * `DELETE /api/v1/prints/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  deletePrint(input: Input<'deletePrint'>, options?: CallOptions): Promise<Output<'deletePrint'>>

  /**
   * Delete a printer with its prints and pictures.
   *
   * `DELETE /api/v1/printers/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deletePrinter(input: Input<'deletePrinter'>, options?: CallOptions): Promise<Output<'deletePrinter'>>

  /**
   * Disconnect an app: its tokens for your account end at once.
   *
   * `DELETE /api/v1/oauth/connections/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  disconnectApp(input: Input<'disconnectApp'>, options?: CallOptions): Promise<Output<'disconnectApp'>>

  /**
   * Decline what the assistant proposed.
   *
   * `POST /api/v1/assistant/proposals/{id}/dismiss/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  dismissActionProposal(input: Input<'dismissActionProposal'>, options?: CallOptions): Promise<Output<'dismissActionProposal'>>

  /**
   * Stop the printer at once.
   *
   * Everything stops where it is, heaters too; a running print is lost. It goes ahead of all other commands, and those that the agent has not begun are refused. The printer must be brought back afterwards: `restart_firmware` where its host has that, else `connect`. The printer need not print.
   *
   * `POST /api/v1/printers/{id}/emergency_stop/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  emergencyStop(input: Input<'emergencyStop'>, options?: CallOptions): Promise<Output<'emergencyStop'>>

  /**
   * Sign a browser out.
   *
   * Its live connections are closed at once.
   *
   * `DELETE /api/v1/users/me/sessions/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  endSession(input: Input<'endSession'>, options?: CallOptions): Promise<Output<'endSession'>>

  /**
   * Leave an object out of the current print.
   *
   * The objects are those of `status.objects`. The print goes on without it; what was left out cannot be taken in again.
   *
   * `POST /api/v1/printers/{id}/exclude_object/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  excludeObject(input: Input<'excludeObject'>, options?: CallOptions): Promise<Output<'excludeObject'>>

  /**
   * The labelled pictures as a zip file in YOLO layout.
   *
   * `images/`, `labels/` and `manifest.json`, without names of people, printers or files. Only while the user's
   * `detection_export_consent` is on; `conflict` otherwise. With the SDK: `client.download('/api/v1/detection/examples/export/')`.
   *
   * `GET /api/v1/detection/examples/export/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  exportDetectionExamples(options?: CallOptions): Promise<Output<'exportDetectionExamples'>>

  /**
   * Look for failures in a picture.
   *
   * The picture is the body itself, or the part `img` (or `pic`) of a form. Nothing is kept, no printer is involved. Errors carry `detections: []` and `message` beside the problem.
   *
   * `POST /p/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `invalid_image`, `rate_limited`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  findFailures(input: {
    /** A JPEG, PNG or WebP. */
    img: UploadFile
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'findFailures'>>

  /**
   * Look for failures in a picture that lies elsewhere.
   *
   * The contract of a detection service that other programs know: the server fetches the picture from the address itself. Private addresses are refused unless the operator has listed them in `PRINTWARDEN_OUTBOUND_ALLOW`. Errors carry `detections: []` and `message` beside the problem.
   *
   * `GET /p/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `invalid_image`, `rate_limited`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  findFailuresAt(input: Input<'findFailuresAt'>, options?: CallOptions): Promise<Output<'findFailuresAt'>>

  /**
   * Record that the current print has ended, on a printer without an agent or with nothing but a camera.
   *
   * Nothing is sent to the printer. `not_found` when nothing is being printed. Where an agent watches the printer by its picture alone, it is asked to end: `stop_watching`.
   *
   * `POST /api/v1/printers/{id}/finish_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  finishPrint(input: Input<'finishPrint'>, options?: CallOptions): Promise<Output<'finishPrint'>>

  /**
   * Forget what was learned of a camera.
   *
   * Its baseline, its prototypes and its reference of the clean bed: for a camera or a printer that was moved.
   *
   * `POST /api/v1/printers/{id}/cameras/{camera_id}/forget_baseline/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  forgetBaseline(input: Input<'forgetBaseline'>, options?: CallOptions): Promise<Output<'forgetBaseline'>>

  /**
   * The printer that the token belongs to.
   *
   * `GET /api/v1/agent/printer/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`
   * @throws {NetworkError} when no answer came
   */
  getAgentPrinter(options?: CallOptions): Promise<Output<'getAgentPrinter'>>

  /**
   * One failure alert.
   *
   * `GET /api/v1/alerts/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getAlert(input: Input<'getAlert'>, options?: CallOptions): Promise<Output<'getAlert'>>

  /**
   * The user and their AI credits.
   *
   * `GET /assistant/api/me/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getAssistantMe(options?: CallOptions): Promise<Output<'getAssistantMe'>>

  /**
   * Whether the assistant's model answers.
   *
   * `GET /api/v1/admin/assistant/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getAssistantStatus(options?: CallOptions): Promise<Output<'getAssistantStatus'>>

  /**
   * One replay of a print.
   *
   * `GET /api/v1/backtests/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getBacktest(input: Input<'getBacktest'>, options?: CallOptions): Promise<Output<'getBacktest'>>

  /**
   * What the user's answers make of a camera's scores.
   *
   * `GET /api/v1/printers/{id}/cameras/{camera_id}/calibration/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getCalibration(input: Input<'getCalibration'>, options?: CallOptions): Promise<Output<'getCalibration'>>

  /**
   * What was learned of a camera.
   *
   * `GET /api/v1/printers/{id}/cameras/{camera_id}/learned/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getCameraLearned(input: Input<'getCameraLearned'>, options?: CallOptions): Promise<Output<'getCameraLearned'>>

  /**
   * One chat.
   *
   * `GET /assistant/api/chats/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getChat(input: Input<'getChat'>, options?: CallOptions): Promise<Output<'getChat'>>

  /**
   * How far a command is.
   *
   * `GET /api/v1/printers/{id}/commands/{command_id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getCommand(input: Input<'getCommand'>, options?: CallOptions): Promise<Output<'getCommand'>>

  /**
   * One G-code file.
   *
   * `GET /api/v1/g_code_files/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getGCodeFile(input: Input<'getGCodeFile'>, options?: CallOptions): Promise<Output<'getGCodeFile'>>

  /**
   * One G-code folder.
   *
   * `GET /api/v1/g_code_folders/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getGCodeFolder(input: Input<'getGCodeFolder'>, options?: CallOptions): Promise<Output<'getGCodeFolder'>>

  /**
   * What became of a code.
   *
   * Used and expired codes can be read for a day. `verified_at` and `printer` tell that an agent used it.
   *
   * `GET /api/v1/onetimeverificationcodes/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getLinkCode(input: Input<'getLinkCode'>, options?: CallOptions): Promise<Output<'getLinkCode'>>

  /**
   * The current user's profile.
   *
   * `GET /api/v1/users/me/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getMe(options?: CallOptions): Promise<Output<'getMe'>>

  /**
   * One device.
   *
   * `GET /api/v1/mobile_devices/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getMobileDevice(input: Input<'getMobileDevice'>, options?: CallOptions): Promise<Output<'getMobileDevice'>>

  /**
   * One setting.
   *
   * `GET /api/v1/notification_settings/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getNotificationSetting(input: Input<'getNotificationSetting'>, options?: CallOptions): Promise<Output<'getNotificationSetting'>>

  /**
   * One app that you registered.
   *
   * `GET /api/v1/oauth/apps/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getOAuthApp(input: Input<'getOAuthApp'>, options?: CallOptions): Promise<Output<'getOAuthApp'>>

  /**
   * Why a print failed, as it was last answered.
   *
   * 404 when it was never asked.
   *
   * `GET /api/v1/prints/{id}/post_mortem/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPostMortem(input: Input<'getPostMortem'>, options?: CallOptions): Promise<Output<'getPostMortem'>>

  /**
   * Frame-by-frame failure predictions of one print.
   *
   * An empty list when no frame was analysed. Once there is a tagged video, one element per frame of it: what is shown at the share x of the
   * video is element round(length × x). A frame whose data is lost is an empty object.
   *
   * `GET /api/v1/prints/{id}/prediction_json/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPredictionJson(input: Input<'getPredictionJson'>, options?: CallOptions): Promise<Output<'getPredictionJson'>>

  /**
   * One print.
   *
   * Also at `/api/v1/print/{id}/`. The body is a Print.
   *
   * `GET /api/v1/prints/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPrint(input: Input<'getPrint'>, options?: CallOptions): Promise<Output<'getPrint'>>

  /**
   * One shot about which feedback is asked.
   *
   * `GET /api/v1/printshotfeedbacks/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPrintShotFeedback(input: Input<'getPrintShotFeedback'>, options?: CallOptions): Promise<Output<'getPrintShotFeedback'>>

  /**
   * Statistics of prints by day, week, month or year.
   *
   * The first period begins at `from_date`, each further one at the next midnight, Sunday, first of a month or first of January in
   * `timezone`, up to and including `to_date`. Failed prints count as cancelled, running ones as succeeded. `filter`: `cancelled` (failed ones too), `finished`, `failed`, `need_alert_overwrite` (its `alert_overwrite` is null) or
   * `need_print_shot_feedback` (it has feedback shots, none of which is answered). `feedback_needed` takes the last two, and can be combined with
   * `filter`. `from_date` and `to_date` are days in `timezone`, both inclusive, by the time of the start.
   *
   * `GET /api/v1/prints/stats/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  getPrintStats(input: Input<'getPrintStats'>, options?: CallOptions): Promise<Output<'getPrintStats'>>

  /**
   * One printer.
   *
   * `GET /api/v1/printers/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPrinter(input: Input<'getPrinter'>, options?: CallOptions): Promise<Output<'getPrinter'>>

  /**
   * What retention would take away now.
   *
   * Removes nothing. Of a print that is taken the row, its history and its predictions stay.
   *
   * `GET /api/v1/admin/retention/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getRetention(options?: CallOptions): Promise<Output<'getRetention'>>

  /**
   * What the printer prints, for a slicer.
   *
   * Below `/printers/{printer}/` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
   * meant.
   *
   * `GET /api/job/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getSlicerJob(options?: CallOptions): Promise<Output<'getSlicerJob'>>

  /**
   * The printer's state for a slicer.
   *
   * Below `/printers/{printer}/` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
   * meant. 409 while the printer is offline, or when it is not clear which is meant.
   *
   * `GET /api/printer/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  getSlicerPrinter(options?: CallOptions): Promise<Output<'getSlicerPrinter'>>

  /**
   * What a slicer may use.
   *
   * By this Cura learns whether the key is good, and that there is no SD card to store on.
   *
   * `GET /api/settings/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getSlicerSettings(options?: CallOptions): Promise<Output<'getSlicerSettings'>>

  /**
   * A slicer's test of the connection.
   *
   * Below `/printers/{printer}/` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
   * meant.
   *
   * `GET /api/version/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getSlicerVersion(options?: CallOptions): Promise<Output<'getSlicerVersion'>>

  /**
   * The server's version.
   *
   * `GET /api/v1/version/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  getVersion(options?: CallOptions): Promise<Output<'getVersion'>>

  /**
   * Grant AI credits to an account.
   *
   * They are used after the month's, and do not expire.
   *
   * `POST /api/v1/admin/users/{id}/ai_credits/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  grantAiCredits(input: Input<'grantAiCredits'>, options?: CallOptions): Promise<Output<'grantAiCredits'>>

  /**
   * Send the bytes that a record wants.
   *
   * G-code, an MP4 or QuickTime video, a JPEG, PNG or WebP picture, or prediction JSON, as the kind of the item asks. Sent again it changes nothing. What is no longer here answers 404.
   *
   * `POST /api/v1/admin/imports/{id}/bytes/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `too_large`, `storage_full`, `unsupported_media_type`, `invalid_image`
   * @throws {NetworkError} when no answer came
   */
  importBytes(input: Parameters<'importBytes'> & {
    /** The bytes.. */
    file: UploadFile
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'importBytes'>>

  /**
   * Bring things over from another server.
   *
   * Each record is taken over once: sent again, it is known by its source and `source_id`. What was changed there since is changed here too, unless it was also changed here: then it stays, and is named. What was deleted here stays deleted. Nothing is sent to anybody, and no time-lapse is made. `dry_run` says what would happen.
   *
   * `POST /api/v1/admin/imports/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  importRecords(input: Input<'importRecords'>, options?: CallOptions): Promise<Output<'importRecords'>>

  /**
   * Issue an access token for an account.
   *
   * `POST /api/v1/admin/tokens/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  issueToken(input: Input<'issueToken'>, options?: CallOptions): Promise<Output<'issueToken'>>

  /**
   * Say whether a kept picture of a print shows a failure.
   *
   * For failures that were missed: `frame_ts` as `listPrintFrames` gives it. Boxes are centre and size in shares of the picture.
   *
   * `POST /api/v1/prints/{id}/examples/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  labelFrame(input: Input<'labelFrame'>, options?: CallOptions): Promise<Output<'labelFrame'>>

  /**
   * Link the agent that shows this code.
   *
   * To a new printer, named after the device unless `name` is given, or to the printer `printer_id`, whose agent before it is cut off while its history stays. Five wrong tries a minute.
   *
   * `POST /api/v1/printers/link/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  linkPrinter(input: Input<'linkPrinter'>, options?: CallOptions): Promise<Output<'linkPrinter'>>

  /**
   * List accounts.
   *
   * `GET /api/v1/admin/users/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listAccounts(options?: CallOptions): Promise<Output<'listAccounts'>>

  /**
   * What the assistant proposed to do, newest first.
   *
   * `GET /api/v1/assistant/proposals/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listActionProposals(input?: Input<'listActionProposals'>, options?: CallOptions): Promise<Output<'listActionProposals'>>

  /**
   * The book of an account's AI credits, newest first.
   *
   * The sums of both columns are what is left. Of an unlimited account nothing is written.
   *
   * `GET /api/v1/admin/users/{id}/ai_credits/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listAiCreditEntries(input: Input<'listAiCreditEntries'>, options?: CallOptions): Promise<Output<'listAiCreditEntries'>>

  /**
   * The cameras of a printer.
   *
   * The primary one first. A camera is there from its first picture on.
   *
   * `GET /api/v1/printers/{id}/cameras/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  listCameras(input: Input<'listCameras'>, options?: CallOptions): Promise<Output<'listCameras'>>

  /**
   * List chats, newest first.
   *
   * `GET /assistant/api/chats/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listChats(input?: Input<'listChats'>, options?: CallOptions): Promise<Output<'listChats'>>

  /**
   * Every registered app.
   *
   * `GET /api/v1/admin/clients/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listClients(options?: CallOptions): Promise<Output<'listClients'>>

  /**
   * The apps that may act for you.
   *
   * `GET /api/v1/oauth/connections/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listConnectedApps(options?: CallOptions): Promise<Output<'listConnectedApps'>>

  /**
   * Pictures that the user has labelled, newest first.
   *
   * `GET /api/v1/detection/examples/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listDetectionExamples(input?: Input<'listDetectionExamples'>, options?: CallOptions): Promise<Output<'listDetectionExamples'>>

  /**
   * In what the agent of a printer departs from the protocol.
   *
   * What the server forgives of agents that connect at `/ws/dev/`, by kind, the most frequent first. An agent of our own protocol has none: what it sends wrong is answered by an error.
   *
   * `GET /api/v1/printers/{id}/deviations/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  listDeviations(input: Input<'listDeviations'>, options?: CallOptions): Promise<Output<'listDeviations'>>

  /**
   * Ask for the files that lie on the printer.
   *
   * The list is the `result` of the command, once that is done: the newest 500 files.
   *
   * `POST /api/v1/printers/{id}/list_files/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  listFiles(input: Input<'listFiles'>, options?: CallOptions): Promise<Output<'listFiles'>>

  /**
   * Pictures of a print's first layer.
   *
   * Always empty: this server does not inspect first layers. It is there for clients that ask.
   *
   * `GET /api/v1/first_layer_inspection_images/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listFirstLayerImages(input?: Input<'listFirstLayerImages'>, options?: CallOptions): Promise<Output<'listFirstLayerImages'>>

  /**
   * List G-code files.
   *
   * Newest first without `sorting`. `parent_folder` is a folder's id, or `null` for files in none; without it files of every folder are
   * listed. `q` finds files by a part of their name. `resident_printer` lists the files that lie on that printer instead of those stored here.
   *
   * `GET /api/v1/g_code_files/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listGCodeFiles(input?: Input<'listGCodeFiles'>, options?: CallOptions): Promise<Output<'listGCodeFiles'>>

  /**
   * List G-code files, also as an agent.
   *
   * The same as `/api/v1/g_code_files/`. A printer's `auth_token` lists its owner's files.
   *
   * `GET /api/v1/gcodefiles/` (scope `read`, or a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listGCodeFilesAsAgent(input?: Input<'listGCodeFilesAsAgent'>, options?: CallOptions): Promise<Output<'listGCodeFilesAsAgent'>>

  /**
   * List G-code folders.
   *
   * Newest first without `sorting`. `parent_folder` is an id, or `null` for those in no other; without it all are listed.
   *
   * `GET /api/v1/g_code_folders/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listGCodeFolders(input?: Input<'listGCodeFolders'>, options?: CallOptions): Promise<Output<'listGCodeFolders'>>

  /**
   * Invitations that nobody has used yet.
   *
   * `GET /api/v1/admin/invitations/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listInvitations(options?: CallOptions): Promise<Output<'listInvitations'>>

  /**
   * The user's devices.
   *
   * `GET /api/v1/mobile_devices/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listMobileDevices(options?: CallOptions): Promise<Output<'listMobileDevices'>>

  /**
   * The channels, and what each can tell.
   *
   * `GET /api/v1/notification_settings/available_plugins/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listNotificationPlugins(options?: CallOptions): Promise<Output<'listNotificationPlugins'>>

  /**
   * How the user is notified.
   *
   * One setting per channel; `email` is always among them.
   *
   * `GET /api/v1/notification_settings/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listNotificationSettings(options?: CallOptions): Promise<Output<'listNotificationSettings'>>

  /**
   * The apps that you registered.
   *
   * `GET /api/v1/oauth/apps/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listOAuthApps(options?: CallOptions): Promise<Output<'listOAuthApps'>>

  /**
   * Your personal access tokens.
   *
   * `GET /api/v1/oauth/tokens/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listPersonalTokens(options?: CallOptions): Promise<Output<'listPersonalTokens'>>

  /**
   * The failure alerts of a print, with what they were judged by.
   *
   * Oldest first.
   *
   * `GET /api/v1/prints/{id}/alerts/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  listPrintAlerts(input: Input<'listPrintAlerts'>, options?: CallOptions): Promise<Output<'listPrintAlerts'>>

  /**
   * The pictures that are kept of a print.
   *
   * In order of time. Without `start`, `limit` and `step` at most 500 from the whole print, evenly; else from `start` on, every `step`-th one.
   *
   * `GET /api/v1/prints/{id}/frames/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrintFrames(input: Input<'listPrintFrames'>, options?: CallOptions): Promise<Output<'listPrintFrames'>>

  /**
   * Shots of prints about which feedback is asked, oldest first.
   *
   * `GET /api/v1/printshotfeedbacks/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrintShotFeedbacks(input?: Input<'listPrintShotFeedbacks'>, options?: CallOptions): Promise<Output<'listPrintShotFeedbacks'>>

  /**
   * What happened on the user's printers, newest first.
   *
   * 12 of them unless `limit` says otherwise. Both filters may be given several times; an event must match each that is given.
   * `ALERT` stands for FAILURE_ALERTED, ALERT_MUTED, ALERT_UNMUTED, `PAUSE_RESUME` for PAUSED, RESUMED.
   *
   * `GET /api/v1/printer_events/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrinterEvents(input?: Input<'listPrinterEvents'>, options?: CallOptions): Promise<Output<'listPrinterEvents'>>

  /**
   * List printers.
   *
   * `GET /api/v1/printers/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrinters(input?: Input<'listPrinters'>, options?: CallOptions): Promise<Output<'listPrinters'>>

  /**
   * List prints.
   *
   * By start time, newest first without `sorting`, at most 500. `start` and `limit` are only valid together with
   * `sorting`. `filter`: `cancelled` (failed ones too), `finished`, `failed`, `need_alert_overwrite` (its `alert_overwrite` is null) or
   * `need_print_shot_feedback` (it has feedback shots, none of which is answered). `feedback_needed` takes the last two, and can be combined with
   * `filter`. `from_date` and `to_date` are days in `timezone`, both inclusive, by the time of the start. Without `timezone` they are days in UTC.
   *
   * `GET /api/v1/prints/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrints(input?: Input<'listPrints'>, options?: CallOptions): Promise<Output<'listPrints'>>

  /**
   * The G-code files of the printer's owner.
   *
   * `GET /api/v1/agent/g_code_files/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listReportedGCodeFiles(input?: Input<'listReportedGCodeFiles'>, options?: CallOptions): Promise<Output<'listReportedGCodeFiles'>>

  /**
   * What happened to your account.
   *
   * Newest first. `limit` is 100 unless given, at most 500; `before` is an id, from below which the list goes on. Events are kept for 400 days.
   *
   * `GET /api/v1/users/me/security_events/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listSecurityEvents(input?: Input<'listSecurityEvents'>, options?: CallOptions): Promise<Output<'listSecurityEvents'>>

  /**
   * The browsers in which you are signed in.
   *
   * `GET /api/v1/users/me/sessions/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listSessions(options?: CallOptions): Promise<Output<'listSessions'>>

  /**
   * How a printer is shared.
   *
   * None or one. Without `printer_id`, and for a printer that is not there, 404.
   *
   * `GET /api/v1/sharedresources/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  listSharedResources(input?: Input<'listSharedResources'>, options?: CallOptions): Promise<Output<'listSharedResources'>>

  /**
   * The printer's name for a slicer.
   *
   * Below `/printers/{printer}/` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
   * meant.
   *
   * `GET /api/printerprofiles/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listSlicerProfiles(options?: CallOptions): Promise<Output<'listSlicerProfiles'>>

  /**
   * What users wrote to support, newest first.
   *
   * `GET /api/v1/admin/support_requests/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listSupportRequests(input?: Input<'listSupportRequests'>, options?: CallOptions): Promise<Output<'listSupportRequests'>>

  /**
   * Valid tokens of everybody or of one account, newest first.
   *
   * `GET /api/v1/admin/tokens/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listTokens(input?: Input<'listTokens'>, options?: CallOptions): Promise<Output<'listTokens'>>

  /**
   * Unlinked agents in the browser's own private network.
   *
   * Those that came within the last seconds from a private address of the same network as the browser, in IPv4 the same first three numbers. Over the internet, and from this machine itself, nothing is listed.
   *
   * `GET /api/v1/printer_discovery/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  listUnlinkedAgents(options?: CallOptions): Promise<Output<'listUnlinkedAgents'>>

  /**
   * Move several G-code files to a folder.
   *
   * Ids that are not yours are ignored. `parent_folder` null takes them out of all folders.
   *
   * `POST /api/v1/g_code_files/bulk_move/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  moveGCodeFiles(input: Input<'moveGCodeFiles'>, options?: CallOptions): Promise<Output<'moveGCodeFiles'>>

  /**
   * Move several G-code folders into another.
   *
   * Ids that are not yours are ignored. All of them move, or none.
   *
   * `POST /api/v1/g_code_folders/bulk_move/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  moveGCodeFolders(input: Input<'moveGCodeFolders'>, options?: CallOptions): Promise<Output<'moveGCodeFolders'>>

  /**
   * Turn failure detection off for the rest of the current print.
   *
   * `mute_alert=false` turns it on again.
   *
   * `POST /api/v1/printers/{id}/mute_current_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  muteCurrentPrint(input: Input<'muteCurrentPrint'>, options?: CallOptions): Promise<Output<'muteCurrentPrint'>>

  /**
   * Pause the current print.
   *
   * `POST /api/v1/printers/{id}/pause_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  pausePrint(input: Input<'pausePrint'>, options?: CallOptions): Promise<Output<'pausePrint'>>

  /**
   * What became of the code that the agent shows.
   *
   * 202 while nobody has entered it; then 200 with the `auth_token`, once; 410 `expired` for a code that is too old, and for a secret that is used up or unknown.
   *
   * `POST /api/v1/agent/link/poll/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `expired`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  pollAgentLink(input: Input<'pollAgentLink'>, options?: CallOptions): Promise<Output<'pollAgentLink'>>

  /**
   * Look for failures in a picture of the current print.
   *
   * The answer is smoothed with those before. The failure gauge stays as it is, nobody is alerted. `not_found` when nothing is being printed.
   *
   * `POST /api/v1/printers/{id}/predict/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `invalid_image`, `rate_limited`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  predictPrint(input: Parameters<'predictPrint'> & {
    /** A JPEG, PNG or WebP. */
    img: UploadFile
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'predictPrint'>>

  /**
   * Print a file that lies on the printer.
   *
   * `succeeded` is false while something is being printed, and for an archived printer. Without `origin` the file is the host’s own (`local`).
   *
   * `POST /api/v1/printers/{id}/print_file/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  printFile(input: Input<'printFile'>, options?: CallOptions): Promise<Output<'printFile'>>

  /**
   * Print a stored file.
   *
   * Hands the file to the printer's agent, which downloads it, checks its hash and starts it. Like every action it answers 200: `succeeded` says
   * whether the agent has the command, `reason` why not. What becomes of it is told by the command.
   *
   * `POST /api/v1/g_code_files/{id}/print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  printGCodeFile(input: Input<'printGCodeFile'>, options?: CallOptions): Promise<Output<'printGCodeFile'>>

  /**
   * Allow one more automatic pause of the current print.
   *
   * `POST /api/v1/printers/{id}/rearm/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  rearmPrinter(input: Input<'rearmPrinter'>, options?: CallOptions): Promise<Output<'rearmPrinter'>>

  /**
   * Register a device, or bring one up to date.
   *
   * A `device_token` that is there already is brought up to date and active again. Of more than 50 devices the one that was registered longest ago is forgotten.
   *
   * `POST /api/v1/mobile_devices/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  registerMobileDevice(input: Input<'registerMobileDevice'>, options?: CallOptions): Promise<Output<'registerMobileDevice'>>

  /**
   * Take an answer back.
   *
   * What it did to the scores is undone, and the labelled picture is forgotten.
   *
   * `DELETE /api/v1/printers/{id}/cameras/{camera_id}/calibration/answers/{answer_id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  removeCalibrationAnswer(input: Input<'removeCalibrationAnswer'>, options?: CallOptions): Promise<Output<'removeCalibrationAnswer'>>

  /**
   * Delete any app and everything that was issued to it.
   *
   * `DELETE /api/v1/admin/clients/{client_id}/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  removeClient(input: Input<'removeClient'>, options?: CallOptions): Promise<Output<'removeClient'>>

  /**
   * Let an account sign in by its password alone.
   *
   * For somebody who lost both the authenticator and the recovery codes. Ends the sessions of the account.
   *
   * `POST /api/v1/admin/users/{id}/remove_two_step/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  removeTwoStep(input: Input<'removeTwoStep'>, options?: CallOptions): Promise<Output<'removeTwoStep'>>

  /**
   * Change a chat, its messages at least.
   *
   * As `PATCH`, but `messages` is required. What else is not sent stays.
   *
   * `PUT /assistant/api/chats/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  replaceChat(input: Input<'replaceChat'>, options?: CallOptions): Promise<Output<'replaceChat'>>

  /**
   * Rename and move a G-code file.
   *
   * As `PATCH`, but the name is required. Without `parent_folder` the file stays where it is.
   *
   * `PUT /api/v1/g_code_files/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  replaceGCodeFile(input: Input<'replaceGCodeFile'>, options?: CallOptions): Promise<Output<'replaceGCodeFile'>>

  /**
   * Rename and move a G-code folder.
   *
   * As `PATCH`, but the name is required. Without `parent_folder` the folder stays where it is.
   *
   * `PUT /api/v1/g_code_folders/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  replaceGCodeFolder(input: Input<'replaceGCodeFolder'>, options?: CallOptions): Promise<Output<'replaceGCodeFolder'>>

  /**
   * Replace a setting.
   *
   * What is not sent is as in a new setting. What `config` holds depends on the channel: nothing for `email`; `webhook_url` for `discord`; `access_token` for `pushbullet` and `slack`; `user_key` for `pushover`; `chat_id` for `telegram`; `phone_country_code` and `phone_number` for `twilio`; `custom_webhook_URL` for `webhook`; `apprise_url` for `apprise`. Addresses are http(s).
   *
   * `PUT /api/v1/notification_settings/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  replaceNotificationSetting(input: Input<'replaceNotificationSetting'>, options?: CallOptions): Promise<Output<'replaceNotificationSetting'>>

  /**
   * Say whether a shot shows a failure, with `answer` required.
   *
   * `credited_dhs` is 2 when this answered the last open shot of its print, else 0. `null` takes an answer back.
   *
   * `PUT /api/v1/printshotfeedbacks/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  replacePrintShotFeedback(input: Input<'replacePrintShotFeedback'>, options?: CallOptions): Promise<Output<'replacePrintShotFeedback'>>

  /**
   * Find or add the record of a file on the printer.
   *
   * A form or a multipart body. 201 when it was added, 200 when it was known.
   *
   * `POST /api/v1/agent/g_code_files/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  reportGCodeFile(input: {
    /** The file's name with `_` in place of what is special. */
    safe_filename: string | number | boolean
    /** `scheme:value`, by which the agent knows the file. */
    agent_signature: string | number | boolean
    /** The name of the file. */
    filename?: string | number | boolean
    /** Its size. */
    num_bytes?: string | number | boolean
    /** Its path on the printer. */
    url?: string | number | boolean
  }, options?: UploadOptions): Promise<Output<'reportGCodeFile'>>

  /**
   * Report something for the printer's history.
   *
   * A form or a multipart body; it is attached to the print it names, else to the current print, if any.
   *
   * `POST /api/v1/agent/printer_events/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`, `invalid_image`, `too_large`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  reportPrinterEvent(input: {
    /** One of the printer event types. */
    event_type: string | number | boolean
    /** ERROR, WARNING, SUCCESS or INFO. */
    event_class: string | number | boolean
    /** A short title. */
    event_title: string | number | boolean
    /** What happened. */
    event_text: string | number | boolean
    /** Where to read more. */
    info_url?: string | number | boolean
    /** "true": also notify the user. */
    notify?: string | number | boolean
    /** Names the event: sent again, it is kept once. */
    event_id?: string | number | boolean
    /** How long ago it happened. */
    age_ms?: string | number | boolean
    /** The print it belongs to, if any. */
    current_print_ts?: string | number | boolean
    /** A picture of the moment. */
    snapshot?: UploadFile
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'reportPrinterEvent'>>

  /**
   * A code for linking an agent.
   *
   * One object: the code that is good now, made if there is none. With `printer_id` the agent becomes that printer's, and the one before it is cut off; else it gets a new printer. A code is good for two hours and once. A token without `write` sees null in its place, since whoever has the code gets an `auth_token`.
   *
   * `GET /api/v1/onetimeverificationcodes/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  requestLinkCode(input?: Input<'requestLinkCode'>, options?: CallOptions): Promise<Output<'requestLinkCode'>>

  /**
   * Let a camera's scores count as the model gives them.
   *
   * The labelled pictures stay, but move the scores no more.
   *
   * `POST /api/v1/printers/{id}/cameras/{camera_id}/calibration/reset/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  resetCalibration(input: Input<'resetCalibration'>, options?: CallOptions): Promise<Output<'resetCalibration'>>

  /**
   * Restart the firmware of the printer.
   *
   * Of a printer that prints nothing, for hosts that have a restart of their own; others refuse it.
   *
   * `POST /api/v1/printers/{id}/restart_firmware/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  restartFirmware(input: Input<'restartFirmware'>, options?: CallOptions): Promise<Output<'restartFirmware'>>

  /**
   * Resume the paused print.
   *
   * `POST /api/v1/printers/{id}/resume_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  resumePrint(input: Input<'resumePrint'>, options?: CallOptions): Promise<Output<'resumePrint'>>

  /**
   * Make the time-lapse of a print again.
   *
   * For a print that has none although it should: making it failed, or nothing on the server could make it then. Its pictures stay for that.
   * Refused (`conflict`) while the print runs, while its time-lapse is being made, when it has one, and when no pictures are left.
   *
   * `POST /api/v1/prints/{id}/timelapse/retry/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  retryTimelapse(input: Input<'retryTimelapse'>, options?: CallOptions): Promise<Output<'retryTimelapse'>>

  /**
   * Revoke a personal access token and close its connections.
   *
   * `DELETE /api/v1/oauth/tokens/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  revokePersonalToken(input: Input<'revokePersonalToken'>, options?: CallOptions): Promise<Output<'revokePersonalToken'>>

  /**
   * Revoke a token.
   *
   * An unknown token is no error.
   *
   * `POST /api/v1/admin/tokens/revoke/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  revokeToken(input: Input<'revokeToken'>, options?: CallOptions): Promise<Output<'revokeToken'>>

  /**
   * Revoke anybody's token and close its connections.
   *
   * `DELETE /api/v1/admin/tokens/{id}/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  revokeTokenById(input: Input<'revokeTokenById'>, options?: CallOptions): Promise<Output<'revokeTokenById'>>

  /**
   * Replace a printer's auth_token.
   *
   * The old one ends at once: the agent is disconnected (4401) and needs the new one. Of use when a token or app that could read it is no longer trusted.
   *
   * `POST /api/v1/printers/{id}/rotate_auth_token/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  rotateAuthToken(input: Input<'rotateAuthToken'>, options?: CallOptions): Promise<Output<'rotateAuthToken'>>

  /**
   * Replace the secret of any app.
   *
   * `POST /api/v1/admin/clients/{client_id}/rotate_secret/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  rotateClientSecret(input: Input<'rotateClientSecret'>, options?: CallOptions): Promise<Output<'rotateClientSecret'>>

  /**
   * Replace the secret of an app.
   *
   * The old secret is of no use from then on. What was issued before stays valid. A public app has no secret: 409.
   *
   * `POST /api/v1/oauth/apps/{id}/rotate_secret/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  rotateOAuthAppSecret(input: Input<'rotateOAuthAppSecret'>, options?: CallOptions): Promise<Output<'rotateOAuthAppSecret'>>

  /**
   * Test that failures on this printer would be found.
   *
   * Sends a known picture of a failure the way of the printer’s pictures, from the queue to the score. The gauge stays as it is, nobody is alerted. Without `camera_id` it is the way of the primary camera. `conflict` while the printer has no camera yet, a test is under way, or other pictures are more urgent.
   *
   * `POST /api/v1/printers/{id}/self_test/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  runSelfTest(input: Input<'runSelfTest'>, options?: CallOptions): Promise<Output<'runSelfTest'>>

  /**
   * Make two accounts, tokens, clients and printers for a conformance run.
   *
   * `POST /api/v1/admin/seed/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  seed(options?: CallOptions): Promise<Output<'seed'>>

  /**
   * Ask the assistant.
   *
   * Costs one credit, taken before the model is asked and given back when the model fails. 402 when the credits are used up; 503 `assistant_not_configured` without a model, which costs nothing.
   *
   * The whole conversation is sent each time. With `plates` or `slicing_profiles` it is a slicer's question: it needs a plate with a model, one filament, one extruder and a print process preset, and without them the answer says what is missing. With neither, the assistant answers about printing, and looks up the user's own printers, prints and files for it where the token has `read`. It may propose actions: they are only run by `confirmActionProposal`.
   *
   * With `Accept: text/event-stream` the answer comes as it is made: events `delta` (`{"text"}`) and `look` (an AssistantLook), then `message` (the body that is otherwise answered) or `error` (a problem). Who hangs up before the first `delta` gets the credit back.
   *
   * `POST /assistant/api/chats/messages/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `credits_exhausted`, `rate_limited`, `assistant_not_configured`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  sendChatMessage(input: Input<'sendChatMessage'>, options?: CallOptions): Promise<Output<'sendChatMessage'>>

  /**
   * Send a code to one of these agents.
   *
   * It must be among those that the list holds. Without `device_secret` the server asks the agent for it, at the address from which it came; 409 when nothing answers there. The code waits for a minute.
   *
   * `POST /api/v1/printer_discovery/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`, `conflict`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  sendLinkCode(input: Input<'sendLinkCode'>, options?: CallOptions): Promise<Output<'sendLinkCode'>>

  /**
   * Send a message to try a channel.
   *
   * 503 where sending is not set up on the server.
   *
   * `POST /api/v1/notification_settings/{id}/send_test_message/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  sendTestNotification(input: Input<'sendTestNotification'>, options?: CallOptions): Promise<Output<'sendTestNotification'>>

  /**
   * Share a printer.
   *
   * Sharing twice changes nothing. Without `printer_id`, and for a printer that is not there, 404.
   *
   * `POST /api/v1/sharedresources/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  sharePrinter(input?: Input<'sharePrinter'>, options?: CallOptions): Promise<Output<'sharePrinter'>>

  /**
   * Sign every browser out, this one too.
   *
   * Access tokens and connected apps stay as they are.
   *
   * `POST /api/v1/users/me/sign_out_everywhere/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  signOutEverywhere(options?: CallOptions): Promise<Output<'signOutEverywhere'>>

  /**
   * An agent asks for a code to show.
   *
   * `POST /api/v1/agent/link/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `rate_limited`, `unavailable`
   * @throws {NetworkError} when no answer came
   */
  startAgentLink(input: Input<'startAgentLink'>, options?: CallOptions): Promise<Output<'startAgentLink'>>

  /**
   * Record that a print has begun, on a printer without an agent or with nothing but a camera.
   *
   * Nothing is sent to the printer. The current print, if there is one, ends as finished. Where an agent watches the printer by its picture alone (`status.watched_by`), it is asked to begin: `start_watching`.
   *
   * `POST /api/v1/printers/{id}/start_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  startPrint(input: Input<'startPrint'>, options?: CallOptions): Promise<Output<'startPrint'>>

  /**
   * Bring an archived printer back.
   *
   * `POST /api/v1/printers/{id}/unarchive/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  unarchivePrinter(input: Input<'unarchivePrinter'>, options?: CallOptions): Promise<Output<'unarchivePrinter'>>

  /**
   * Stop sharing a printer.
   *
   * The token is of no use from then on; sharing again makes another one.
   *
   * `DELETE /api/v1/sharedresources/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  unsharePrinter(input: Input<'unsharePrinter'>, options?: CallOptions): Promise<Output<'unsharePrinter'>>

  /**
   * Change an account: rights, disabled or not, password, AI credits.
   *
   * Disabling an account or setting its password ends its sessions; disabling also stops its tokens.
   *
   * `PATCH /api/v1/admin/users/{id}/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`
   * @throws {NetworkError} when no answer came
   */
  updateAccount(input: Input<'updateAccount'>, options?: CallOptions): Promise<Output<'updateAccount'>>

  /**
   * Rename the printer that the token belongs to.
   *
   * Other fields are ignored: what a printer does when a print fails is for its owner to say.
   *
   * `PATCH /api/v1/agent/printer/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateAgentPrinter(input?: Input<'updateAgentPrinter'>, options?: CallOptions): Promise<Output<'updateAgentPrinter'>>

  /**
   * Change how a camera is looked at.
   *
   * Settings that are left out stay as they are. Regions and the crop are in shares of the picture, from its upper left corner. Another crop forgets what was learned from the old one.
   *
   * `PATCH /api/v1/printers/{id}/cameras/{camera_id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateCamera(input: Input<'updateCamera'>, options?: CallOptions): Promise<Output<'updateCamera'>>

  /**
   * Change how all cameras of a printer are looked at.
   *
   * The same switches for the whole printer. Settings that are left out stay as they are, and so do regions and crops, which are each camera’s own. A camera that is added later begins with the usual settings.
   *
   * `PATCH /api/v1/printers/{id}/cameras/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateCameras(input: Input<'updateCameras'>, options?: CallOptions): Promise<Output<'updateCameras'>>

  /**
   * Change a chat.
   *
   * `PATCH /assistant/api/chats/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateChat(input: Input<'updateChat'>, options?: CallOptions): Promise<Output<'updateChat'>>

  /**
   * Rename or move a G-code file.
   *
   * Read-only and unknown fields are ignored.
   *
   * `PATCH /api/v1/g_code_files/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateGCodeFile(input: Input<'updateGCodeFile'>, options?: CallOptions): Promise<Output<'updateGCodeFile'>>

  /**
   * Rename or move a G-code folder.
   *
   * Names are told apart as `safe_name`; two folders beside each other cannot share one. A folder cannot be moved into itself or into a folder inside it.
   *
   * `PATCH /api/v1/g_code_folders/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateGCodeFolder(input: Input<'updateGCodeFolder'>, options?: CallOptions): Promise<Output<'updateGCodeFolder'>>

  /**
   * Update the current user's profile.
   *
   * Read-only and unknown fields are ignored.
   *
   * `PATCH /api/v1/users/me/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateMe(input?: Input<'updateMe'>, options?: CallOptions): Promise<Output<'updateMe'>>

  /**
   * Change a setting.
   *
   * What is not sent stays as it is; a `config` replaces the one before it. What `config` holds depends on the channel: nothing for `email`; `webhook_url` for `discord`; `access_token` for `pushbullet` and `slack`; `user_key` for `pushover`; `chat_id` for `telegram`; `phone_country_code` and `phone_number` for `twilio`; `custom_webhook_URL` for `webhook`; `apprise_url` for `apprise`. Addresses are http(s).
   *
   * `PATCH /api/v1/notification_settings/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateNotificationSetting(input: Input<'updateNotificationSetting'>, options?: CallOptions): Promise<Output<'updateNotificationSetting'>>

  /**
   * Change an app: name, description, redirect URIs.
   *
   * `PATCH /api/v1/oauth/apps/{id}/` (a signed-in browser)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateOAuthApp(input: Input<'updateOAuthApp'>, options?: CallOptions): Promise<Output<'updateOAuthApp'>>

  /**
   * Change a print.
   *
   * Read-only and unknown fields are ignored.
   *
   * `PATCH /api/v1/prints/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updatePrint(input: Input<'updatePrint'>, options?: CallOptions): Promise<Output<'updatePrint'>>

  /**
   * Say whether a shot shows a failure.
   *
   * `credited_dhs` is 2 when this answered the last open shot of its print, else 0. `null` takes an answer back. Without `answer` nothing changes.
   *
   * `PATCH /api/v1/printshotfeedbacks/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updatePrintShotFeedback(input: Input<'updatePrintShotFeedback'>, options?: CallOptions): Promise<Output<'updatePrintShotFeedback'>>

  /**
   * Change a printer.
   *
   * Read-only and unknown fields are ignored.
   *
   * `PATCH /api/v1/printers/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updatePrinter(input: Input<'updatePrinter'>, options?: CallOptions): Promise<Output<'updatePrinter'>>

  /**
   * Tell how a stored file is known on the printer.
   *
   * `PATCH /api/v1/agent/g_code_files/{id}/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `not_found`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  updateReportedGCodeFile(input: Parameters<'updateReportedGCodeFile'> & {
    /** The file's name with `_` in place of what is special. */
    safe_filename?: string | number | boolean
    /** `scheme:value`, by which the agent knows the file. */
    agent_signature?: string | number | boolean
  }, options?: UploadOptions): Promise<Output<'updateReportedGCodeFile'>>

  /**
   * Upload G-code from a slicer.
   *
   * Below `/printers/{printer}/` (a printer's id or name) the same path means that printer; otherwise the only printer of the user is
   * meant. A file that cannot be printed now is stored all the same; the answer is 400 then and says why. To a request with `X-Api-Key` errors
   * are told as plain text, since slicers show them as they are, unless it accepts JSON.
   *
   * `POST /api/files/local/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `too_large`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadFromSlicer(input: {
    /** The G-code, with its file name. */
    file: UploadFile
    /** The folder, as names with `/` between them; what is missing of it is made. */
    path?: string | number | boolean
    /** Whether to print the file at once. */
    print?: string | number | boolean
    /** Not used: a stored file is not selected. */
    select?: string | number | boolean
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'uploadFromSlicer'>>

  /**
   * Upload G-code from a slicer for one printer.
   *
   * `printer` is the id or the name of a printer; with `print` the file is printed there. A file that cannot be printed now is stored all the same; the answer is 400 then and says why. To a request with `X-Api-Key` errors
   * are told as plain text, since slicers show them as they are, unless it accepts JSON.
   *
   * `POST /api/files/{printer}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `too_large`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadFromSlicerToPrinter(input: Parameters<'uploadFromSlicerToPrinter'> & {
    /** The G-code, with its file name. */
    file: UploadFile
    /** The folder, as names with `/` between them; what is missing of it is made. */
    path?: string | number | boolean
    /** Whether to print the file at once. */
    print?: string | number | boolean
    /** Not used: a stored file is not selected. */
    select?: string | number | boolean
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'uploadFromSlicerToPrinter'>>

  /**
   * Upload a G-code file.
   *
   * The parts may come in any order; unknown ones are ignored. The name must end in `.gcode`, `.gco`, `.g`, `.bgcode` or `.3mf`. Without a file,
   * also as JSON, a record without bytes is made. With `print` the file is printed once it is stored. When that cannot be done now, the file stays, the answer is
   * 409 with the reason, and `Location` names the file.
   *
   * `POST /api/v1/g_code_files/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`, `conflict`, `too_large`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadGCodeFile(input: {
    /** The name of the file. */
    filename: string | number | boolean
    /** Its bytes. */
    file?: UploadFile
    /** The id of a folder; empty for none. */
    parent_folder?: string | number | boolean
    /** Names of folders, made where they are missing. */
    path?: string | number | boolean
    /** Whether to print the file at once. */
    print?: string | number | boolean
    /** On which printer: its id, alone or as in `Left [7]`; may be left out by who has one. */
    printer_id?: string | number | boolean
  }, options?: UploadOptions): Promise<Output<'uploadGCodeFile'>>

  /**
   * Upload a snapshot.
   *
   * A JPEG, PNG or WebP. Pictures of the primary camera are shown and, while printing, checked for failures. One with `current_print_ts` is a picture of the past, which the agent kept while it was offline: it belongs to the time-lapse of that print, and is neither shown nor checked.
   *
   * `POST /api/v1/agent/pic/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`, `invalid_image`, `too_large`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadPic(input: {
    /** The picture. */
    pic: UploadFile
    /** "true" (default) or "false". */
    is_primary_camera?: string | number | boolean
    /** "true" or "false" (default). */
    is_nozzle_camera?: string | number | boolean
    /** Which camera took it. */
    camera_name?: string | number | boolean
    /** "true": only to be looked at, not analysed. */
    viewing_boost?: string | number | boolean
    /** How long ago the picture was taken. */
    age_ms?: string | number | boolean
    /** Names the picture: sent again, it is kept once. */
    frame_id?: string | number | boolean
    /** The print of a picture of the past. */
    current_print_ts?: string | number | boolean
    /** How many more of that print follow. */
    pics_to_come?: string | number | boolean
    /** As age_ms, for a picture of the past. */
    frame_age_ms?: string | number | boolean
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'uploadPic'>>

  /**
   * Upload one's own time-lapse of a print.
   *
   * An MP4 or QuickTime file of at most 1 GiB. It takes the place of `video_url`, and of the poster where the server can make one;
   * `uploaded_at` is set. A print that is still running is refused (`conflict`).
   *
   * `POST /api/v1/prints/{id}/timelapse/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`, `invalid_request`, `conflict`, `too_large`, `unsupported_media_type`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadTimelapse(input: Parameters<'uploadTimelapse'> & {
    /** The video.. */
    file: UploadFile
    /** The name of the file; that of a `File` unless given. */
    filename?: string
  }, options?: UploadOptions): Promise<Output<'uploadTimelapse'>>

  /**
   * Use a code that was typed at the agent.
   *
   * `printer.auth_token` is the credential. Wrong codes are limited per address.
   *
   * `POST /api/v1/agent/verify/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `not_found`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  verifyLinkCode(input: Input<'verifyLinkCode'>, options?: CallOptions): Promise<Output<'verifyLinkCode'>>

  /**
   * Use a code that was typed at the agent, for agents that ask by GET.
   *
   * `GET /api/v1/agent/verify/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `not_found`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  verifyLinkCodeByGet(input: Input<'verifyLinkCodeByGet'>, options?: CallOptions): Promise<Output<'verifyLinkCodeByGet'>>
}

/** How each method travels. `query` names what goes into the address; what is in neither path nor query is the body. */
export const OPERATIONS: { readonly [Id in keyof Methods]: Operation } = {
  acknowledgeAlert: { method: 'POST', path: '/api/v1/printers/{id}/acknowledge_alert/', query: ['alert_overwrite'], body: undefined, takesInput: true },
  addClient: { method: 'POST', path: '/api/v1/admin/clients/', query: [], body: 'json', takesInput: true },
  addPrinterFor: { method: 'POST', path: '/api/v1/admin/printers/', query: [], body: 'json', takesInput: true },
  adminSignIn: { method: 'POST', path: '/api/v1/admin/sign_in/', query: [], body: 'json', takesInput: true },
  allowSlicer: { method: 'POST', path: '/api/v1/admin/slicers/', query: [], body: 'json', takesInput: true },
  analysePlate: { method: 'POST', path: '/assistant/api/plate_analysis/', query: ['lang'], body: 'json', takesInput: true },
  announceUnlinkedAgent: { method: 'POST', path: '/api/v1/agent/unlinked/', query: [], body: 'json', takesInput: true },
  answerAlert: { method: 'POST', path: '/api/v1/alerts/{id}/answer/', query: [], body: 'json', takesInput: true },
  answerPrompt: { method: 'POST', path: '/api/v1/printers/{id}/answer_prompt/', query: [], body: 'json', takesInput: true },
  applyRetention: { method: 'POST', path: '/api/v1/admin/retention/', query: [], body: undefined, takesInput: false },
  archivePrinter: { method: 'POST', path: '/api/v1/printers/{id}/archive/', query: [], body: undefined, takesInput: true },
  backtestPrint: { method: 'POST', path: '/api/v1/prints/{id}/backtest/', query: [], body: 'json', takesInput: true },
  bulkDeletePrints: { method: 'POST', path: '/api/v1/prints/bulk_delete/', query: [], body: 'json', takesInput: true },
  callAgent: { method: 'POST', path: '/api/v1/printers/{id}/passthru/', query: [], body: 'json', takesInput: true },
  cancelPrint: { method: 'POST', path: '/api/v1/printers/{id}/cancel_print/', query: [], body: undefined, takesInput: true },
  claimPasscode: { method: 'POST', path: '/api/v1/one_time_passcodes/', query: [], body: 'json', takesInput: true },
  confirmActionProposal: { method: 'POST', path: '/api/v1/assistant/proposals/{id}/confirm/', query: [], body: undefined, takesInput: true },
  connectPrinter: { method: 'POST', path: '/api/v1/printers/{id}/connect/', query: [], body: undefined, takesInput: true },
  contactSupport: { method: 'POST', path: '/assistant/api/contact_support/', query: ['lang'], body: 'json', takesInput: true },
  createAccount: { method: 'POST', path: '/api/v1/admin/users/', query: [], body: 'json', takesInput: true },
  createChat: { method: 'POST', path: '/assistant/api/chats/', query: [], body: 'json', takesInput: true },
  createGCodeFolder: { method: 'POST', path: '/api/v1/g_code_folders/', query: [], body: 'json', takesInput: true },
  createInvitation: { method: 'POST', path: '/api/v1/admin/invitations/', query: [], body: 'json', takesInput: true },
  createLiveTicket: { method: 'POST', path: '/api/v1/live/ticket/', query: [], body: undefined, takesInput: false },
  createNotificationSetting: { method: 'POST', path: '/api/v1/notification_settings/', query: [], body: 'json', takesInput: true },
  createOAuthApp: { method: 'POST', path: '/api/v1/oauth/apps/', query: [], body: 'json', takesInput: true },
  createPasswordResetLink: { method: 'POST', path: '/api/v1/admin/users/{id}/password_reset/', query: [], body: undefined, takesInput: true },
  createPersonalToken: { method: 'POST', path: '/api/v1/oauth/tokens/', query: [], body: 'json', takesInput: true },
  createPostMortem: { method: 'POST', path: '/api/v1/prints/{id}/post_mortem/', query: ['lang'], body: undefined, takesInput: true },
  createPrinter: { method: 'POST', path: '/api/v1/printers/', query: [], body: 'json', takesInput: true },
  deleteChat: { method: 'DELETE', path: '/assistant/api/chats/{id}/', query: [], body: undefined, takesInput: true },
  deleteDetectionExample: { method: 'DELETE', path: '/api/v1/detection/examples/{id}/', query: [], body: undefined, takesInput: true },
  deleteGCodeFile: { method: 'DELETE', path: '/api/v1/g_code_files/{id}/', query: [], body: undefined, takesInput: true },
  deleteGCodeFiles: { method: 'POST', path: '/api/v1/g_code_files/bulk_delete/', query: [], body: 'json', takesInput: true },
  deleteGCodeFolder: { method: 'DELETE', path: '/api/v1/g_code_folders/{id}/', query: [], body: undefined, takesInput: true },
  deleteGCodeFolders: { method: 'POST', path: '/api/v1/g_code_folders/bulk_delete/', query: [], body: 'json', takesInput: true },
  deleteInvitation: { method: 'DELETE', path: '/api/v1/admin/invitations/{id}/', query: [], body: undefined, takesInput: true },
  deleteNotificationSetting: { method: 'DELETE', path: '/api/v1/notification_settings/{id}/', query: [], body: undefined, takesInput: true },
  deleteOAuthApp: { method: 'DELETE', path: '/api/v1/oauth/apps/{id}/', query: [], body: undefined, takesInput: true },
  deletePrint: { method: 'DELETE', path: '/api/v1/prints/{id}/', query: [], body: undefined, takesInput: true },
  deletePrinter: { method: 'DELETE', path: '/api/v1/printers/{id}/', query: [], body: undefined, takesInput: true },
  disconnectApp: { method: 'DELETE', path: '/api/v1/oauth/connections/{id}/', query: [], body: undefined, takesInput: true },
  dismissActionProposal: { method: 'POST', path: '/api/v1/assistant/proposals/{id}/dismiss/', query: [], body: undefined, takesInput: true },
  emergencyStop: { method: 'POST', path: '/api/v1/printers/{id}/emergency_stop/', query: [], body: undefined, takesInput: true },
  endSession: { method: 'DELETE', path: '/api/v1/users/me/sessions/{id}/', query: [], body: undefined, takesInput: true },
  excludeObject: { method: 'POST', path: '/api/v1/printers/{id}/exclude_object/', query: [], body: 'json', takesInput: true },
  exportDetectionExamples: { method: 'GET', path: '/api/v1/detection/examples/export/', query: [], body: undefined, takesInput: false },
  findFailures: { method: 'POST', path: '/p/', query: [], body: { files: ['img'], texts: [] }, takesInput: true },
  findFailuresAt: { method: 'GET', path: '/p/', query: ['img'], body: undefined, takesInput: true },
  finishPrint: { method: 'POST', path: '/api/v1/printers/{id}/finish_print/', query: [], body: 'json', takesInput: true },
  forgetBaseline: { method: 'POST', path: '/api/v1/printers/{id}/cameras/{camera_id}/forget_baseline/', query: [], body: undefined, takesInput: true },
  getAgentPrinter: { method: 'GET', path: '/api/v1/agent/printer/', query: [], body: undefined, takesInput: false },
  getAlert: { method: 'GET', path: '/api/v1/alerts/{id}/', query: [], body: undefined, takesInput: true },
  getAssistantMe: { method: 'GET', path: '/assistant/api/me/', query: [], body: undefined, takesInput: false },
  getAssistantStatus: { method: 'GET', path: '/api/v1/admin/assistant/', query: [], body: undefined, takesInput: false },
  getBacktest: { method: 'GET', path: '/api/v1/backtests/{id}/', query: [], body: undefined, takesInput: true },
  getCalibration: { method: 'GET', path: '/api/v1/printers/{id}/cameras/{camera_id}/calibration/', query: [], body: undefined, takesInput: true },
  getCameraLearned: { method: 'GET', path: '/api/v1/printers/{id}/cameras/{camera_id}/learned/', query: [], body: undefined, takesInput: true },
  getChat: { method: 'GET', path: '/assistant/api/chats/{id}/', query: [], body: undefined, takesInput: true },
  getCommand: { method: 'GET', path: '/api/v1/printers/{id}/commands/{command_id}/', query: [], body: undefined, takesInput: true },
  getGCodeFile: { method: 'GET', path: '/api/v1/g_code_files/{id}/', query: [], body: undefined, takesInput: true },
  getGCodeFolder: { method: 'GET', path: '/api/v1/g_code_folders/{id}/', query: [], body: undefined, takesInput: true },
  getLinkCode: { method: 'GET', path: '/api/v1/onetimeverificationcodes/{id}/', query: [], body: undefined, takesInput: true },
  getMe: { method: 'GET', path: '/api/v1/users/me/', query: [], body: undefined, takesInput: false },
  getMobileDevice: { method: 'GET', path: '/api/v1/mobile_devices/{id}/', query: [], body: undefined, takesInput: true },
  getNotificationSetting: { method: 'GET', path: '/api/v1/notification_settings/{id}/', query: [], body: undefined, takesInput: true },
  getOAuthApp: { method: 'GET', path: '/api/v1/oauth/apps/{id}/', query: [], body: undefined, takesInput: true },
  getPostMortem: { method: 'GET', path: '/api/v1/prints/{id}/post_mortem/', query: [], body: undefined, takesInput: true },
  getPredictionJson: { method: 'GET', path: '/api/v1/prints/{id}/prediction_json/', query: [], body: undefined, takesInput: true },
  getPrint: { method: 'GET', path: '/api/v1/prints/{id}/', query: [], body: undefined, takesInput: true },
  getPrintShotFeedback: { method: 'GET', path: '/api/v1/printshotfeedbacks/{id}/', query: [], body: undefined, takesInput: true },
  getPrintStats: { method: 'GET', path: '/api/v1/prints/stats/', query: ['timezone', 'from_date', 'to_date', 'group_by', 'filter', 'feedback_needed', 'filter_by_printer_ids[]'], body: undefined, takesInput: true },
  getPrinter: { method: 'GET', path: '/api/v1/printers/{id}/', query: [], body: undefined, takesInput: true },
  getRetention: { method: 'GET', path: '/api/v1/admin/retention/', query: [], body: undefined, takesInput: false },
  getSlicerJob: { method: 'GET', path: '/api/job/', query: [], body: undefined, takesInput: false },
  getSlicerPrinter: { method: 'GET', path: '/api/printer/', query: [], body: undefined, takesInput: false },
  getSlicerSettings: { method: 'GET', path: '/api/settings/', query: [], body: undefined, takesInput: false },
  getSlicerVersion: { method: 'GET', path: '/api/version/', query: [], body: undefined, takesInput: false },
  getVersion: { method: 'GET', path: '/api/v1/version/', query: [], body: undefined, takesInput: false },
  grantAiCredits: { method: 'POST', path: '/api/v1/admin/users/{id}/ai_credits/', query: [], body: 'json', takesInput: true },
  importBytes: { method: 'POST', path: '/api/v1/admin/imports/{id}/bytes/', query: [], body: { files: ['file'], texts: [] }, takesInput: true },
  importRecords: { method: 'POST', path: '/api/v1/admin/imports/', query: [], body: 'json', takesInput: true },
  issueToken: { method: 'POST', path: '/api/v1/admin/tokens/', query: [], body: 'json', takesInput: true },
  labelFrame: { method: 'POST', path: '/api/v1/prints/{id}/examples/', query: [], body: 'json', takesInput: true },
  linkPrinter: { method: 'POST', path: '/api/v1/printers/link/', query: [], body: 'json', takesInput: true },
  listAccounts: { method: 'GET', path: '/api/v1/admin/users/', query: [], body: undefined, takesInput: false },
  listActionProposals: { method: 'GET', path: '/api/v1/assistant/proposals/', query: ['start', 'limit'], body: undefined, takesInput: true },
  listAiCreditEntries: { method: 'GET', path: '/api/v1/admin/users/{id}/ai_credits/', query: ['start', 'limit'], body: undefined, takesInput: true },
  listCameras: { method: 'GET', path: '/api/v1/printers/{id}/cameras/', query: [], body: undefined, takesInput: true },
  listChats: { method: 'GET', path: '/assistant/api/chats/', query: ['start', 'limit'], body: undefined, takesInput: true },
  listClients: { method: 'GET', path: '/api/v1/admin/clients/', query: [], body: undefined, takesInput: false },
  listConnectedApps: { method: 'GET', path: '/api/v1/oauth/connections/', query: [], body: undefined, takesInput: false },
  listDetectionExamples: { method: 'GET', path: '/api/v1/detection/examples/', query: ['start', 'limit'], body: undefined, takesInput: true },
  listDeviations: { method: 'GET', path: '/api/v1/printers/{id}/deviations/', query: [], body: undefined, takesInput: true },
  listFiles: { method: 'POST', path: '/api/v1/printers/{id}/list_files/', query: [], body: undefined, takesInput: true },
  listFirstLayerImages: { method: 'GET', path: '/api/v1/first_layer_inspection_images/', query: ['print_id'], body: undefined, takesInput: true },
  listGCodeFiles: { method: 'GET', path: '/api/v1/g_code_files/', query: ['page', 'page_size', 'sorting', 'q', 'parent_folder', 'resident_printer', 'safe_filename', 'agent_signature'], body: undefined, takesInput: true },
  listGCodeFilesAsAgent: { method: 'GET', path: '/api/v1/gcodefiles/', query: ['page', 'page_size', 'sorting', 'q', 'parent_folder', 'resident_printer', 'safe_filename', 'agent_signature'], body: undefined, takesInput: true },
  listGCodeFolders: { method: 'GET', path: '/api/v1/g_code_folders/', query: ['page', 'page_size', 'sorting', 'q', 'parent_folder'], body: undefined, takesInput: true },
  listInvitations: { method: 'GET', path: '/api/v1/admin/invitations/', query: [], body: undefined, takesInput: false },
  listMobileDevices: { method: 'GET', path: '/api/v1/mobile_devices/', query: [], body: undefined, takesInput: false },
  listNotificationPlugins: { method: 'GET', path: '/api/v1/notification_settings/available_plugins/', query: [], body: undefined, takesInput: false },
  listNotificationSettings: { method: 'GET', path: '/api/v1/notification_settings/', query: [], body: undefined, takesInput: false },
  listOAuthApps: { method: 'GET', path: '/api/v1/oauth/apps/', query: [], body: undefined, takesInput: false },
  listPersonalTokens: { method: 'GET', path: '/api/v1/oauth/tokens/', query: [], body: undefined, takesInput: false },
  listPrintAlerts: { method: 'GET', path: '/api/v1/prints/{id}/alerts/', query: [], body: undefined, takesInput: true },
  listPrintFrames: { method: 'GET', path: '/api/v1/prints/{id}/frames/', query: ['start', 'limit', 'step'], body: undefined, takesInput: true },
  listPrintShotFeedbacks: { method: 'GET', path: '/api/v1/printshotfeedbacks/', query: ['print_id', 'start', 'limit'], body: undefined, takesInput: true },
  listPrinterEvents: { method: 'GET', path: '/api/v1/printer_events/', query: ['printer_id', 'print_id', 'filter_by_classes[]', 'filter_by_types[]', 'start', 'limit'], body: undefined, takesInput: true },
  listPrinters: { method: 'GET', path: '/api/v1/printers/', query: ['with_archived'], body: undefined, takesInput: true },
  listPrints: { method: 'GET', path: '/api/v1/prints/', query: ['filter', 'feedback_needed', 'filter_by_printer_ids[]', 'sorting', 'start', 'limit', 'from_date', 'to_date', 'timezone'], body: undefined, takesInput: true },
  listReportedGCodeFiles: { method: 'GET', path: '/api/v1/agent/g_code_files/', query: ['page', 'page_size'], body: undefined, takesInput: true },
  listSecurityEvents: { method: 'GET', path: '/api/v1/users/me/security_events/', query: ['limit', 'before'], body: undefined, takesInput: true },
  listSessions: { method: 'GET', path: '/api/v1/users/me/sessions/', query: [], body: undefined, takesInput: false },
  listSharedResources: { method: 'GET', path: '/api/v1/sharedresources/', query: ['printer_id'], body: undefined, takesInput: true },
  listSlicerProfiles: { method: 'GET', path: '/api/printerprofiles/', query: [], body: undefined, takesInput: false },
  listSupportRequests: { method: 'GET', path: '/api/v1/admin/support_requests/', query: ['start', 'limit'], body: undefined, takesInput: true },
  listTokens: { method: 'GET', path: '/api/v1/admin/tokens/', query: ['email'], body: undefined, takesInput: true },
  listUnlinkedAgents: { method: 'GET', path: '/api/v1/printer_discovery/', query: [], body: undefined, takesInput: false },
  moveGCodeFiles: { method: 'POST', path: '/api/v1/g_code_files/bulk_move/', query: [], body: 'json', takesInput: true },
  moveGCodeFolders: { method: 'POST', path: '/api/v1/g_code_folders/bulk_move/', query: [], body: 'json', takesInput: true },
  muteCurrentPrint: { method: 'POST', path: '/api/v1/printers/{id}/mute_current_print/', query: ['mute_alert'], body: undefined, takesInput: true },
  pausePrint: { method: 'POST', path: '/api/v1/printers/{id}/pause_print/', query: [], body: undefined, takesInput: true },
  pollAgentLink: { method: 'POST', path: '/api/v1/agent/link/poll/', query: [], body: 'json', takesInput: true },
  predictPrint: { method: 'POST', path: '/api/v1/printers/{id}/predict/', query: [], body: { files: ['img'], texts: [] }, takesInput: true },
  printFile: { method: 'POST', path: '/api/v1/printers/{id}/print_file/', query: [], body: 'json', takesInput: true },
  printGCodeFile: { method: 'POST', path: '/api/v1/g_code_files/{id}/print/', query: [], body: 'json', takesInput: true },
  rearmPrinter: { method: 'POST', path: '/api/v1/printers/{id}/rearm/', query: [], body: undefined, takesInput: true },
  registerMobileDevice: { method: 'POST', path: '/api/v1/mobile_devices/', query: [], body: 'json', takesInput: true },
  removeCalibrationAnswer: { method: 'DELETE', path: '/api/v1/printers/{id}/cameras/{camera_id}/calibration/answers/{answer_id}/', query: [], body: undefined, takesInput: true },
  removeClient: { method: 'DELETE', path: '/api/v1/admin/clients/{client_id}/', query: [], body: undefined, takesInput: true },
  removeTwoStep: { method: 'POST', path: '/api/v1/admin/users/{id}/remove_two_step/', query: [], body: undefined, takesInput: true },
  replaceChat: { method: 'PUT', path: '/assistant/api/chats/{id}/', query: [], body: 'json', takesInput: true },
  replaceGCodeFile: { method: 'PUT', path: '/api/v1/g_code_files/{id}/', query: [], body: 'json', takesInput: true },
  replaceGCodeFolder: { method: 'PUT', path: '/api/v1/g_code_folders/{id}/', query: [], body: 'json', takesInput: true },
  replaceNotificationSetting: { method: 'PUT', path: '/api/v1/notification_settings/{id}/', query: [], body: 'json', takesInput: true },
  replacePrintShotFeedback: { method: 'PUT', path: '/api/v1/printshotfeedbacks/{id}/', query: [], body: 'json', takesInput: true },
  reportGCodeFile: { method: 'POST', path: '/api/v1/agent/g_code_files/', query: [], body: { files: [], texts: ['safe_filename', 'agent_signature', 'filename', 'num_bytes', 'url'] }, takesInput: true },
  reportPrinterEvent: { method: 'POST', path: '/api/v1/agent/printer_events/', query: [], body: { files: ['snapshot'], texts: ['event_type', 'event_class', 'event_title', 'event_text', 'info_url', 'notify', 'event_id', 'age_ms', 'current_print_ts'] }, takesInput: true },
  requestLinkCode: { method: 'GET', path: '/api/v1/onetimeverificationcodes/', query: ['printer_id'], body: undefined, takesInput: true },
  resetCalibration: { method: 'POST', path: '/api/v1/printers/{id}/cameras/{camera_id}/calibration/reset/', query: [], body: undefined, takesInput: true },
  restartFirmware: { method: 'POST', path: '/api/v1/printers/{id}/restart_firmware/', query: [], body: undefined, takesInput: true },
  resumePrint: { method: 'POST', path: '/api/v1/printers/{id}/resume_print/', query: [], body: undefined, takesInput: true },
  retryTimelapse: { method: 'POST', path: '/api/v1/prints/{id}/timelapse/retry/', query: [], body: undefined, takesInput: true },
  revokePersonalToken: { method: 'DELETE', path: '/api/v1/oauth/tokens/{id}/', query: [], body: undefined, takesInput: true },
  revokeToken: { method: 'POST', path: '/api/v1/admin/tokens/revoke/', query: [], body: 'json', takesInput: true },
  revokeTokenById: { method: 'DELETE', path: '/api/v1/admin/tokens/{id}/', query: [], body: undefined, takesInput: true },
  rotateAuthToken: { method: 'POST', path: '/api/v1/printers/{id}/rotate_auth_token/', query: [], body: undefined, takesInput: true },
  rotateClientSecret: { method: 'POST', path: '/api/v1/admin/clients/{client_id}/rotate_secret/', query: [], body: undefined, takesInput: true },
  rotateOAuthAppSecret: { method: 'POST', path: '/api/v1/oauth/apps/{id}/rotate_secret/', query: [], body: undefined, takesInput: true },
  runSelfTest: { method: 'POST', path: '/api/v1/printers/{id}/self_test/', query: ['camera_id'], body: undefined, takesInput: true },
  seed: { method: 'POST', path: '/api/v1/admin/seed/', query: [], body: undefined, takesInput: false },
  sendChatMessage: { method: 'POST', path: '/assistant/api/chats/messages/', query: ['lang'], body: 'json', takesInput: true },
  sendLinkCode: { method: 'POST', path: '/api/v1/printer_discovery/', query: [], body: 'json', takesInput: true },
  sendTestNotification: { method: 'POST', path: '/api/v1/notification_settings/{id}/send_test_message/', query: [], body: undefined, takesInput: true },
  sharePrinter: { method: 'POST', path: '/api/v1/sharedresources/', query: ['printer_id'], body: undefined, takesInput: true },
  signOutEverywhere: { method: 'POST', path: '/api/v1/users/me/sign_out_everywhere/', query: [], body: undefined, takesInput: false },
  startAgentLink: { method: 'POST', path: '/api/v1/agent/link/', query: [], body: 'json', takesInput: true },
  startPrint: { method: 'POST', path: '/api/v1/printers/{id}/start_print/', query: [], body: 'json', takesInput: true },
  unarchivePrinter: { method: 'POST', path: '/api/v1/printers/{id}/unarchive/', query: [], body: undefined, takesInput: true },
  unsharePrinter: { method: 'DELETE', path: '/api/v1/sharedresources/{id}/', query: [], body: undefined, takesInput: true },
  updateAccount: { method: 'PATCH', path: '/api/v1/admin/users/{id}/', query: [], body: 'json', takesInput: true },
  updateAgentPrinter: { method: 'PATCH', path: '/api/v1/agent/printer/', query: [], body: 'json', takesInput: true },
  updateCamera: { method: 'PATCH', path: '/api/v1/printers/{id}/cameras/{camera_id}/', query: [], body: 'json', takesInput: true },
  updateCameras: { method: 'PATCH', path: '/api/v1/printers/{id}/cameras/', query: [], body: 'json', takesInput: true },
  updateChat: { method: 'PATCH', path: '/assistant/api/chats/{id}/', query: [], body: 'json', takesInput: true },
  updateGCodeFile: { method: 'PATCH', path: '/api/v1/g_code_files/{id}/', query: [], body: 'json', takesInput: true },
  updateGCodeFolder: { method: 'PATCH', path: '/api/v1/g_code_folders/{id}/', query: [], body: 'json', takesInput: true },
  updateMe: { method: 'PATCH', path: '/api/v1/users/me/', query: [], body: 'json', takesInput: true },
  updateNotificationSetting: { method: 'PATCH', path: '/api/v1/notification_settings/{id}/', query: [], body: 'json', takesInput: true },
  updateOAuthApp: { method: 'PATCH', path: '/api/v1/oauth/apps/{id}/', query: [], body: 'json', takesInput: true },
  updatePrint: { method: 'PATCH', path: '/api/v1/prints/{id}/', query: [], body: 'json', takesInput: true },
  updatePrintShotFeedback: { method: 'PATCH', path: '/api/v1/printshotfeedbacks/{id}/', query: [], body: 'json', takesInput: true },
  updatePrinter: { method: 'PATCH', path: '/api/v1/printers/{id}/', query: [], body: 'json', takesInput: true },
  updateReportedGCodeFile: { method: 'PATCH', path: '/api/v1/agent/g_code_files/{id}/', query: [], body: { files: [], texts: ['safe_filename', 'agent_signature'] }, takesInput: true },
  uploadFromSlicer: { method: 'POST', path: '/api/files/local/', query: [], body: { files: ['file'], texts: ['path', 'print', 'select'] }, takesInput: true },
  uploadFromSlicerToPrinter: { method: 'POST', path: '/api/files/{printer}/', query: [], body: { files: ['file'], texts: ['path', 'print', 'select'] }, takesInput: true },
  uploadGCodeFile: { method: 'POST', path: '/api/v1/g_code_files/', query: [], body: { files: ['file'], texts: ['filename', 'parent_folder', 'path', 'print', 'printer_id'] }, takesInput: true },
  uploadPic: { method: 'POST', path: '/api/v1/agent/pic/', query: [], body: { files: ['pic'], texts: ['is_primary_camera', 'is_nozzle_camera', 'camera_name', 'viewing_boost', 'age_ms', 'frame_id', 'current_print_ts', 'pics_to_come', 'frame_age_ms'] }, takesInput: true },
  uploadTimelapse: { method: 'POST', path: '/api/v1/prints/{id}/timelapse/', query: [], body: { files: ['file'], texts: [] }, takesInput: true },
  verifyLinkCode: { method: 'POST', path: '/api/v1/agent/verify/', query: ['code'], body: undefined, takesInput: true },
  verifyLinkCodeByGet: { method: 'GET', path: '/api/v1/agent/verify/', query: ['code'], body: undefined, takesInput: true },
}

/** One iterator for each endpoint that answers in pages. */
export interface Iterators {
  /**
   * Every item of {@link Methods.listActionProposals}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allActionProposals(input?: Omit<Input<'listActionProposals'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listActionProposals'>, void, undefined>

  /**
   * Every item of {@link Methods.listAiCreditEntries}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allAiCreditEntries(input: Omit<Input<'listAiCreditEntries'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listAiCreditEntries'>, void, undefined>

  /**
   * Every item of {@link Methods.listChats}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allChats(input?: Omit<Input<'listChats'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listChats'>, void, undefined>

  /**
   * Every item of {@link Methods.listDetectionExamples}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allDetectionExamples(input?: Omit<Input<'listDetectionExamples'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listDetectionExamples'>, void, undefined>

  /**
   * Every item of {@link Methods.listGCodeFiles}, asked for page by page as they are used.
   *
   * `page_size` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allGCodeFiles(input?: Omit<Input<'listGCodeFiles'>, 'page'>, options?: CallOptions): AsyncGenerator<Item<'listGCodeFiles'>, void, undefined>

  /**
   * Every item of {@link Methods.listGCodeFilesAsAgent}, asked for page by page as they are used.
   *
   * `page_size` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allGCodeFilesAsAgent(input?: Omit<Input<'listGCodeFilesAsAgent'>, 'page'>, options?: CallOptions): AsyncGenerator<Item<'listGCodeFilesAsAgent'>, void, undefined>

  /**
   * Every item of {@link Methods.listGCodeFolders}, asked for page by page as they are used.
   *
   * `page_size` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allGCodeFolders(input?: Omit<Input<'listGCodeFolders'>, 'page'>, options?: CallOptions): AsyncGenerator<Item<'listGCodeFolders'>, void, undefined>

  /**
   * Every item of {@link Methods.listPrintFrames}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allPrintFrames(input: Omit<Input<'listPrintFrames'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listPrintFrames'>, void, undefined>

  /**
   * Every item of {@link Methods.listPrintShotFeedbacks}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allPrintShotFeedbacks(input?: Omit<Input<'listPrintShotFeedbacks'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listPrintShotFeedbacks'>, void, undefined>

  /**
   * Every item of {@link Methods.listPrinterEvents}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allPrinterEvents(input?: Omit<Input<'listPrinterEvents'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listPrinterEvents'>, void, undefined>

  /**
   * Every item of {@link Methods.listPrints}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allPrints(input?: Omit<Input<'listPrints'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listPrints'>, void, undefined>

  /**
   * Every item of {@link Methods.listReportedGCodeFiles}, asked for page by page as they are used.
   *
   * `page_size` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allReportedGCodeFiles(input?: Omit<Input<'listReportedGCodeFiles'>, 'page'>, options?: CallOptions): AsyncGenerator<Item<'listReportedGCodeFiles'>, void, undefined>

  /**
   * Every item of {@link Methods.listSupportRequests}, asked for page by page as they are used.
   *
   * `limit` is the size of one page, not of the whole. The options hold for each page by itself.
   */
  allSupportRequests(input?: Omit<Input<'listSupportRequests'>, 'start'>, options?: CallOptions): AsyncGenerator<Item<'listSupportRequests'>, void, undefined>
}

/** Which operation each iterator asks for its pages, and the parameter that tells a page from the next. */
export const ITERATORS: { readonly [Name in keyof Iterators]: Paging } = {
  allActionProposals: { list: 'listActionProposals', by: 'start' },
  allAiCreditEntries: { list: 'listAiCreditEntries', by: 'start' },
  allChats: { list: 'listChats', by: 'start' },
  allDetectionExamples: { list: 'listDetectionExamples', by: 'start' },
  allGCodeFiles: { list: 'listGCodeFiles', by: 'page' },
  allGCodeFilesAsAgent: { list: 'listGCodeFilesAsAgent', by: 'page' },
  allGCodeFolders: { list: 'listGCodeFolders', by: 'page' },
  allPrintFrames: { list: 'listPrintFrames', by: 'start' },
  allPrintShotFeedbacks: { list: 'listPrintShotFeedbacks', by: 'start' },
  allPrinterEvents: { list: 'listPrinterEvents', by: 'start' },
  allPrints: { list: 'listPrints', by: 'start' },
  allReportedGCodeFiles: { list: 'listReportedGCodeFiles', by: 'page' },
  allSupportRequests: { list: 'listSupportRequests', by: 'start' },
}
