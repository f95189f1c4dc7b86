import type { CameraLogin } from '../config/camera-config.js'

/** An address without the user and password that may stand in it, and these apart: so they turn up in no error and no log. */
export interface CameraAddress {
  readonly url: string
  readonly login?: CameraLogin | undefined
}

/** Takes the user and password out of an address. Those given beside it count when the address has none. */
export function cameraAddress(given: string, login?: CameraLogin): CameraAddress {
  const url = new URL(given)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const inside = username === '' ? undefined : { user: decoded(username), password: decoded(password) }
  return { url: url.href, login: inside ?? login }
}

/** A password with a bare per cent sign in it is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
