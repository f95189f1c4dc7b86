import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookieName } from '../http/credentials.js'
import type { UserFlow } from './flow.js'
import { COOKIE_LIFETIME_SECONDS } from './session-life.js'
import { whenceOf } from './whence.js'

/** The session that a browser holds in its cookie. */
export function browserSession(users: Pick<UserFlow, 'beginSession' | 'endSession'>) {
  return {
    /** Begins a session in this browser; one that it had before ends, so a cookie that was planted is of no use. */
    async open(request: FastifyRequest, reply: FastifyReply, userId: number): Promise<void> {
      const isHttps = request.protocol === 'https'
      const name = sessionCookieName(isHttps)
      await users.endSession(request.cookies[name])
      const value = await users.beginSession(userId, whenceOf(request))
      void reply.setCookie(name, value, { ...cookieOptions(isHttps), maxAge: COOKIE_LIFETIME_SECONDS })
    },
    /** Signs this browser out. */
    async close(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const isHttps = request.protocol === 'https'
      const name = sessionCookieName(isHttps)
      await users.endSession(request.cookies[name], whenceOf(request))
      void reply.clearCookie(name, cookieOptions(isHttps))
    },
    /** Takes the cookie of a session that has ended. */
    forget(request: FastifyRequest, reply: FastifyReply): void {
      const isHttps = request.protocol === 'https'
      void reply.clearCookie(sessionCookieName(isHttps), cookieOptions(isHttps))
    },
  }
}

export type BrowserSession = ReturnType<typeof browserSession>

function cookieOptions(isHttps: boolean): { path: string; httpOnly: boolean; sameSite: 'lax'; secure: boolean } {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps }
}
