export type LinkErrorCode =
  | 'unreachable'
  | 'moved'
  | 'other_program'
  | 'old_server'
  | 'busy'
  | 'refused'
  | 'expired'
  | 'lost'
  | 'stopped'
  | 'no_server'
  | 'no_host'
  | 'no_key'
  | 'bad_config'

/** Linking cannot go on. The message says what is the matter; {@link mendOf} says what to do. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  constructor(
    readonly code: LinkErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

const MENDS: Partial<Record<LinkErrorCode, string>> = {
  unreachable: 'start the server and look whether its dashboard opens in a browser on this machine; then link again',
  moved: 'link again with that address as --server',
  other_program: 'take the address under which you open the dashboard, such as http://192.168.1.20:3334',
  old_server:
    'update the server; or add the printer in its dashboard and write its auth_token into the configuration by hand',
  busy: 'wait a minute, then link again',
  refused: 'look whether the server and the agent are of the same version',
  expired: 'link again for a new code, and enter it in the dashboard within fifteen minutes',
  lost: "link again, and in the dashboard choose that printer under its page's “Move to another agent”",
  no_key:
    'allow it in OctoPrint within ten minutes, or give --api-key-file with a key made under Settings → Application Keys',
  no_server: 'name it: printwarden-agent link --server http://192.168.1.20:3334',
  no_host: 'name it: --host octoprint --url http://127.0.0.1:5000, or --host moonraker --url http://127.0.0.1:7125',
}

/** What to do about it, where there is something. */
export function mendOf(code: LinkErrorCode): string | undefined {
  return MENDS[code]
}
