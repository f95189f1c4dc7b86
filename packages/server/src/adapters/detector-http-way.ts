import { pictureLibrary } from '../picture-library.js'
import type { ServiceAnswer } from './detector-http-answer.js'
import { type Service, ServiceError } from './detector-http-service.js'

/** Where this server listens. */
export interface Listening {
  readonly port: number
  readonly isTls: boolean
}

/** How a service takes pictures: as bytes, or from an address where this server hands them out. */
export type Way = { readonly type: 'bytes' } | { readonly type: 'url'; readonly origin: string }

/** What a service that fetches pictures is told. */
export interface WayOptions {
  /** Where the service finds this server, if not at the address from which it was asked. */
  readonly origin?: string | undefined
  /** Where this server listens; undefined until it does. */
  readonly listening: () => Listening | undefined
}

/** Finds out how a service takes pictures, with a small one. @throws {ServiceError} */
export async function tryWays(
  service: Pick<Service, 'ownAddress'>,
  { origin, listening }: WayOptions,
  ask: (picture: Uint8Array, way: Way) => Promise<ServiceAnswer>,
): Promise<Way> {
  const sharp = await pictureLibrary()
  const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer()
  try {
    await ask(picture, { type: 'bytes' })
    return { type: 'bytes' }
  } catch (err) {
    if (!(err instanceof ServiceError) || err.status === undefined || err.status >= 500) throw err
    if (err.status === 401 || err.status === 403) {
      throw new ServiceError(err.status, 'It refuses the token: correct it in PRINTWARDEN_DETECTOR.', { cause: err })
    }
  }
  const here = listening()
  if (here === undefined) throw new ServiceError(undefined, 'It fetches pictures, and this server is still starting.')
  const own = origin ?? originOf(await service.ownAddress(), here)
  try {
    await ask(picture, { type: 'url', origin: own })
    return { type: 'url', origin: own }
  } catch (err) {
    if (!(err instanceof ServiceError) || err.status === undefined) throw err
    const advice = `It cannot fetch pictures from ${own}: set PRINTWARDEN_DETECTOR_ORIGIN to an address at which it reaches this server.`
    throw new ServiceError(err.status, err.status === 401 || err.status === 403 ? 'It refuses the token.' : advice, {
      cause: err,
    })
  }
}

function originOf(address: string, { port, isTls }: Listening): string {
  const host = address.includes(':') ? `[${address.replace(/%.*$/, '')}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}
