import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOwnOrigin } from '../http/origin.js'

export interface FormGuardDeps {
  readonly secrets: {
    sign(text: string): string
    verify(text: string, signature: string): boolean
    newToken(bytes: number): string
  }
  readonly publicUrl: () => string | undefined
}

export type FormGuard = ReturnType<typeof formGuard>

const COOKIE_VALUE = /^[0-9a-f]{32}$/

const cookieName = (isHttps: boolean): string => (isHttps ? '__Host-printwarden_form' : 'printwarden_form')

/**
 * Tells our own forms from forged ones: each carries a signature of a random value that only this browser has, in a cookie. A
 * foreign page can send our form but can neither read the cookie nor make the signature.
 */
export function formGuard({ secrets, publicUrl }: FormGuardDeps) {
  const signed = (value: string): string => `form ${value}`

  function cookieOf(request: FastifyRequest): string | undefined {
    const value = request.cookies[cookieName(request.protocol === 'https')]
    return value !== undefined && COOKIE_VALUE.test(value) ? value : undefined
  }

  return {
    /** The value of the form's hidden field. */
    issue(request: FastifyRequest, reply: FastifyReply): string {
      const existing = cookieOf(request)
      if (existing !== undefined) return secrets.sign(signed(existing))
      const isHttps = request.protocol === 'https'
      const value = secrets.newToken(16)
      void reply.setCookie(cookieName(isHttps), value, { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps })
      return secrets.sign(signed(value))
    },
    /** Whether a form that was sent is one of ours. */
    accepts(request: FastifyRequest, formToken: string): boolean {
      const value = cookieOf(request)
      return value !== undefined && isOwnOrigin(request, publicUrl()) && secrets.verify(signed(value), formToken)
    },
  }
}
