import { API_ERRORS, type ApiErrorCode, type Issue } from '@printwarden/protocol'

/** A request that the fake server answers with a no, as the real one would. */
export class FakeRefusal extends Error {
  override readonly name = 'FakeRefusal'

  constructor(
    readonly code: ApiErrorCode,
    detail: string = API_ERRORS[code].title,
    readonly extra: { readonly issues?: readonly Issue[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
  }
}

/** Problem details (RFC 9457). */
export function refusalAnswer({ code, message, extra }: FakeRefusal): Response {
  const { status, title } = API_ERRORS[code]
  const body = { status, code, title, detail: message, ...(extra.issues === undefined ? {} : { issues: extra.issues }) }
  const headers = {
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...extra.headers,
    'content-type': 'application/problem+json',
  }
  return new Response(JSON.stringify(body), { status, headers })
}

/** The input is wrong in one place. */
export const invalid = (path: string, message: string): FakeRefusal =>
  new FakeRefusal('invalid_request', undefined, { issues: [{ path, message }] })
