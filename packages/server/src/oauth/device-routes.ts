import { parseScopes } from '@printwarden/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../http/authenticate.js'
import { waitInWords } from '../users/forms.js'
import { whenceOf } from '../users/whence.js'
import type { DeviceFlow, WaitingDevice } from './device-flow.js'
import type { FormTokens } from '../users/form-token.js'
import { saidPage } from '../users/page-parts.js'
import { DeviceForm } from './forms.js'
import { consentPage, deviceCodePage, deviceOutlook } from './pages.js'
import { forSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'
import { plainUserCode, shownUserCode } from './user-code.js'

export interface DeviceRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly devices: DeviceFlow
  readonly formTokens: FormTokens
}

/** The page on which a user lets a device in that has no browser (RFC 8628, section 3.3). */
export function deviceRoutes(app: FastifyInstance, { authenticator, devices, formTokens }: DeviceRoutesDeps): void {
  function askForCode(
    reply: FastifyReply,
    status: number,
    who: SignedIn,
    userCode: string,
    problem?: string,
  ): FastifyReply {
    const formToken = formTokens.issue(who.sessionId, 'device')
    return sendPage(reply, status, deviceCodePage({ formToken, userCode, problem }))
  }

  function askForConsent(
    reply: FastifyReply,
    who: SignedIn,
    { device, client }: WaitingDevice,
    code: string,
  ): FastifyReply {
    const { name, description, is_self_registered: isSelfRegistered } = client
    const page = consentPage({
      app: { name, description, isSelfRegistered },
      scopes: parseScopes(device.scope),
      email: who.email,
      action: '/device/',
      fields: [
        ['user_code', code],
        ['form_token', formTokens.issue(who.sessionId, `device ${code}`)],
      ],
      again: `/device/?user_code=${code}`,
      outlook: deviceOutlook(shownUserCode(code)),
    })
    return sendPage(reply, 200, page)
  }

  app.get(
    '/device/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const code = plainUserCode(userCodeOf(request))
      return askForCode(reply, 200, who, code === '' ? '' : shownUserCode(code))
    }),
  )

  app.post(
    '/device/',
    { bodyLimit: 16 * 1024 },
    forSignedIn(authenticator, async (request, reply, who) => {
      const { user_code, allow, form_token } = DeviceForm.parse(request.body)
      const code = plainUserCode(user_code)
      const about = allow === '' ? 'device' : `device ${code}`
      if (!formTokens.accepts(who.sessionId, about, form_token)) {
        return askForCode(reply, 403, who, user_code, 'This form had expired. Please try again.')
      }
      const search = await devices.find(who.userId, request.ip, code)
      if (search.type === 'limited') {
        void reply.header('retry-after', search.retryAfterSeconds)
        const wait = `There were too many wrong codes. Try again in ${waitInWords(search.retryAfterSeconds)}.`
        return askForCode(reply, 429, who, user_code, wait)
      }
      if (search.type === 'unknown') {
        return askForCode(
          reply,
          404,
          who,
          user_code,
          'This code is wrong, or it has expired. Look at your device again.',
        )
      }
      const { waiting } = search
      if (allow !== 'true' && allow !== 'false') return askForConsent(reply, who, waiting, code)
      const isDecided = await devices.decide(waiting, who.userId, allow === 'true', whenceOf(request))
      if (!isDecided) return askForCode(reply, 404, who, '', 'This code has expired. Start again on your device.')
      return sendPage(reply, 200, allow === 'true' ? saidPage('Connected', GO_ON) : saidPage('Not connected', SAID_NO))
    }),
  )
}

const GO_ON = 'Your device goes on by itself in a few seconds. You can close this page.'
const SAID_NO = 'You said no; the device was not let in.'

function userCodeOf({ query }: FastifyRequest): string {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'user_code') : undefined
  return typeof value === 'string' ? value : ''
}
