// Made by "npm run generate" from the endpoints of packages/protocol. Do not edit.
import type { CallOptions, Input, Operation, Output } from './operation.js'

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
   * For programs that administer the server with an e-mail address and a password. Wrong tries are limited as on the sign-in page.
   *
   * `POST /api/v1/admin/sign_in/` (no credential needed)
   *
   * @throws {ApiError} `invalid_request`, `unauthorized`, `insufficient_scope`, `rate_limited`
   * @throws {NetworkError} when no answer came
   */
  adminSignIn(input: Input<'adminSignIn'>, options?: CallOptions): Promise<Output<'adminSignIn'>>

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
   * Cancel the current print.
   *
   * `POST /api/v1/printers/{id}/cancel_print/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  cancelPrint(input: Input<'cancelPrint'>, options?: CallOptions): Promise<Output<'cancelPrint'>>

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
   * Delete a printer with its prints and pictures.
   *
   * `DELETE /api/v1/printers/{id}/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  deletePrinter(input: Input<'deletePrinter'>, options?: CallOptions): Promise<Output<'deletePrinter'>>

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
   * How far a command is.
   *
   * `GET /api/v1/printers/{id}/commands/{command_id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getCommand(input: Input<'getCommand'>, options?: CallOptions): Promise<Output<'getCommand'>>

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
   * Frame-by-frame failure predictions of one print.
   *
   * An empty list when no frame was analysed.
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
   * One printer.
   *
   * `GET /api/v1/printers/{id}/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  getPrinter(input: Input<'getPrinter'>, options?: CallOptions): Promise<Output<'getPrinter'>>

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
   * Issue an access token for an account.
   *
   * `POST /api/v1/admin/tokens/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  issueToken(input: Input<'issueToken'>, options?: CallOptions): Promise<Output<'issueToken'>>

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
   * What happened on the user's printers, newest first.
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
   * Newest first without `sorting`, at most 500. `start` and `limit` are only valid together with `sorting`.
   *
   * `GET /api/v1/prints/` (scope `read`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `invalid_request`
   * @throws {NetworkError} when no answer came
   */
  listPrints(input?: Input<'listPrints'>, options?: CallOptions): Promise<Output<'listPrints'>>

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
   * Allow one more automatic pause of the current print.
   *
   * `POST /api/v1/printers/{id}/rearm/` (scope `write`)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`, `not_found`
   * @throws {NetworkError} when no answer came
   */
  rearmPrinter(input: Input<'rearmPrinter'>, options?: CallOptions): Promise<Output<'rearmPrinter'>>

  /**
   * Report something for the printer's history.
   *
   * A form or a multipart body; it is attached to the current print, if any.
   *
   * `POST /api/v1/agent/printer_events/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`, `invalid_image`, `too_large`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  reportPrinterEvent(input: {
    /** One of the printer event types. */
    event_type: string
    /** ERROR, WARNING, SUCCESS or INFO. */
    event_class: string
    /** A short title. */
    event_title: string
    /** What happened. */
    event_text: string
    /** Where to read more. */
    info_url?: string
    /** "true": also notify the user. */
    notify?: string
    /** A picture of the moment. */
    snapshot?: Blob
  }, options?: CallOptions): Promise<Output<'reportPrinterEvent'>>

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
   * Make two accounts, tokens, clients and printers for a conformance run.
   *
   * `POST /api/v1/admin/seed/` (scope `write` of an administrator)
   *
   * @throws {ApiError} `unauthorized`, `insufficient_scope`
   * @throws {NetworkError} when no answer came
   */
  seed(options?: CallOptions): Promise<Output<'seed'>>

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
   * Change an account: rights, disabled or not, password.
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
   * Upload a snapshot.
   *
   * A JPEG, PNG or WebP. Pictures of the primary camera are shown and, while printing, checked for failures.
   *
   * `POST /api/v1/agent/pic/` (a printer's `auth_token`)
   *
   * @throws {ApiError} `unauthorized`, `invalid_request`, `invalid_image`, `too_large`, `rate_limited`, `storage_full`
   * @throws {NetworkError} when no answer came
   */
  uploadPic(input: {
    /** The picture. */
    pic: Blob
    /** "true" (default) or "false". */
    is_primary_camera?: string
    /** "true" or "false" (default). */
    is_nozzle_camera?: string
    /** Which camera took it. */
    camera_name?: string
    /** "true": only to be looked at, not analysed. */
    viewing_boost?: string
    /** How long ago the picture was taken. */
    age_ms?: string
  }, options?: CallOptions): Promise<Output<'uploadPic'>>
}

/** How each method travels. `query` names what goes into the address; what is in neither path nor query is the body. */
export const OPERATIONS: { readonly [Id in keyof Methods]: Operation } = {
  acknowledgeAlert: { method: 'POST', path: '/api/v1/printers/{id}/acknowledge_alert/', query: ['alert_overwrite'], body: undefined, takesInput: true },
  addClient: { method: 'POST', path: '/api/v1/admin/clients/', query: [], body: 'json', takesInput: true },
  addPrinterFor: { method: 'POST', path: '/api/v1/admin/printers/', query: [], body: 'json', takesInput: true },
  adminSignIn: { method: 'POST', path: '/api/v1/admin/sign_in/', query: [], body: 'json', takesInput: true },
  archivePrinter: { method: 'POST', path: '/api/v1/printers/{id}/archive/', query: [], body: undefined, takesInput: true },
  cancelPrint: { method: 'POST', path: '/api/v1/printers/{id}/cancel_print/', query: [], body: undefined, takesInput: true },
  createAccount: { method: 'POST', path: '/api/v1/admin/users/', query: [], body: 'json', takesInput: true },
  createLiveTicket: { method: 'POST', path: '/api/v1/live/ticket/', query: [], body: undefined, takesInput: false },
  createPrinter: { method: 'POST', path: '/api/v1/printers/', query: [], body: 'json', takesInput: true },
  deletePrinter: { method: 'DELETE', path: '/api/v1/printers/{id}/', query: [], body: undefined, takesInput: true },
  getAgentPrinter: { method: 'GET', path: '/api/v1/agent/printer/', query: [], body: undefined, takesInput: false },
  getCommand: { method: 'GET', path: '/api/v1/printers/{id}/commands/{command_id}/', query: [], body: undefined, takesInput: true },
  getMe: { method: 'GET', path: '/api/v1/users/me/', query: [], body: undefined, takesInput: false },
  getPredictionJson: { method: 'GET', path: '/api/v1/prints/{id}/prediction_json/', query: [], body: undefined, takesInput: true },
  getPrint: { method: 'GET', path: '/api/v1/prints/{id}/', query: [], body: undefined, takesInput: true },
  getPrinter: { method: 'GET', path: '/api/v1/printers/{id}/', query: [], body: undefined, takesInput: true },
  getVersion: { method: 'GET', path: '/api/v1/version/', query: [], body: undefined, takesInput: false },
  issueToken: { method: 'POST', path: '/api/v1/admin/tokens/', query: [], body: 'json', takesInput: true },
  listAccounts: { method: 'GET', path: '/api/v1/admin/users/', query: [], body: undefined, takesInput: false },
  listPrinterEvents: { method: 'GET', path: '/api/v1/printer_events/', query: ['printer_id', 'print_id', 'start', 'limit'], body: undefined, takesInput: true },
  listPrinters: { method: 'GET', path: '/api/v1/printers/', query: ['with_archived'], body: undefined, takesInput: true },
  listPrints: { method: 'GET', path: '/api/v1/prints/', query: ['filter', 'sorting', 'start', 'limit', 'filter_by_printer_ids[]'], body: undefined, takesInput: true },
  muteCurrentPrint: { method: 'POST', path: '/api/v1/printers/{id}/mute_current_print/', query: ['mute_alert'], body: undefined, takesInput: true },
  pausePrint: { method: 'POST', path: '/api/v1/printers/{id}/pause_print/', query: [], body: undefined, takesInput: true },
  rearmPrinter: { method: 'POST', path: '/api/v1/printers/{id}/rearm/', query: [], body: undefined, takesInput: true },
  reportPrinterEvent: { method: 'POST', path: '/api/v1/agent/printer_events/', query: [], body: 'multipart', takesInput: true },
  resumePrint: { method: 'POST', path: '/api/v1/printers/{id}/resume_print/', query: [], body: undefined, takesInput: true },
  revokeToken: { method: 'POST', path: '/api/v1/admin/tokens/revoke/', query: [], body: 'json', takesInput: true },
  seed: { method: 'POST', path: '/api/v1/admin/seed/', query: [], body: undefined, takesInput: false },
  unarchivePrinter: { method: 'POST', path: '/api/v1/printers/{id}/unarchive/', query: [], body: undefined, takesInput: true },
  updateAccount: { method: 'PATCH', path: '/api/v1/admin/users/{id}/', query: [], body: 'json', takesInput: true },
  updateMe: { method: 'PATCH', path: '/api/v1/users/me/', query: [], body: 'json', takesInput: true },
  updatePrinter: { method: 'PATCH', path: '/api/v1/printers/{id}/', query: [], body: 'json', takesInput: true },
  uploadPic: { method: 'POST', path: '/api/v1/agent/pic/', query: [], body: 'multipart', takesInput: true },
}
