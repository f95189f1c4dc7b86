import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CodeForm } from './account-forms.js'
import { waitInWords } from './forms.js'
import { enrolment } from './one-time-code.js'
import { type Again, getUser, refusePassword, type SettingsPageRoutesDeps } from './settings-page-routes.js'
import { ACCOUNT_FORMS, FORGED, forSignedIn, sendPage, type SignedIn } from './signed-in-flow.js'
import type { UserRow } from './store.js'
import { enrolPage, recoveryCodesPage, twoStepPage } from './two-step-pages.js'
import { countRecoveryCodes } from './two-step-store.js'
import { whenceOf } from './whence.js'

/** The pages on which sign-in in two steps is turned on and off. Each change asks for the password. */
export function twoStepPageRoutes(app: FastifyInstance, deps: SettingsPageRoutesDeps): void {
  const { authenticator, database, users, formTokens } = deps
  const { twoSteps } = users

  const issue = (who: SignedIn): string => formTokens.issue(who.sessionId, ACCOUNT_FORMS)

  async function show(reply: FastifyReply, who: SignedIn, { status, ...rest }: Again): Promise<FastifyReply> {
    const user = await getUser(database, who.userId)
    const recoveryCodes = twoSteps.hasTwoSteps(user) ? await countRecoveryCodes(database.db, user.id) : undefined
    return sendPage(reply, status, twoStepPage({ formToken: issue(who), recoveryCodes, ...rest }))
  }

  async function showEnrolment(
    reply: FastifyReply,
    who: SignedIn,
    secret: string,
    { status, problem }: { status: number; problem?: string },
  ): Promise<FastifyReply> {
    const { uri, typed } = enrolment(secret, who.email)
    const { toString } = await import('qrcode')
    const qrSvg = await toString(uri, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' })
    return sendPage(reply, status, enrolPage({ formToken: issue(who), qrSvg, typed, problem }))
  }

  type Work = (request: FastifyRequest, reply: FastifyReply, who: SignedIn, user: UserRow) => Promise<FastifyReply>

  /** A form of these pages; `needsPassword` asks for it once more. */
  function form(name: string, needsPassword: boolean, work: Work): void {
    app.post(
      `/account/two_step/${name}/`,
      forSignedIn(authenticator, async (request, reply, who) => {
        const { form_token, old_password } = CodeForm.parse(request.body)
        if (!formTokens.accepts(who.sessionId, ACCOUNT_FORMS, form_token)) {
          return show(reply, who, { status: 403, problem: FORGED })
        }
        const user = await getUser(database, who.userId)
        const refused = needsPassword ? await refusePassword(users, user, old_password, request, reply) : undefined
        return refused === undefined ? work(request, reply, who, user) : show(reply, who, refused)
      }),
    )
  }

  /** What is told after a code that did not do. */
  function problemOf(check: { type: 'wrong' } | { type: 'limited'; retryAfterSeconds: number }, reply: FastifyReply) {
    if (check.type === 'wrong') return { status: 400, problem: 'This code is wrong, or it was used already.' }
    void reply.header('retry-after', check.retryAfterSeconds)
    const problem = `There were too many wrong codes. Try again in ${waitInWords(check.retryAfterSeconds)}.`
    return { status: 429, problem }
  }

  app.get(
    '/account/two_step/',
    forSignedIn(authenticator, async (_request, reply, who) => show(reply, who, { status: 200 })),
  )

  form('begin', true, async (_request, reply, who) => {
    const secret = await twoSteps.begin(who.userId)
    if (secret === undefined) return show(reply, who, { status: 409, problem: 'It is on already.' })
    return showEnrolment(reply, who, secret, { status: 200 })
  })

  form('confirm', false, async (request, reply, who, user) => {
    const secret = twoSteps.unprovenSecret(user)
    if (secret === undefined) return show(reply, who, { status: 409, problem: 'There is nothing to confirm.' })
    const check = await twoSteps.confirm(user, CodeForm.parse(request.body).code, whenceOf(request))
    if (check.type !== 'done') return showEnrolment(reply, who, secret, problemOf(check, reply))
    users.accounts.tell(user.email, 'Sign-in in two steps was turned on')
    return sendPage(reply, 200, recoveryCodesPage(check.codes, 'Sign-in in two steps is on.'))
  })

  form('codes', true, async (request, reply, who, user) => {
    if (!twoSteps.hasTwoSteps(user)) return show(reply, who, { status: 409, problem: 'It is not on.' })
    const codes = await twoSteps.renewCodes(who.userId, whenceOf(request))
    return sendPage(reply, 200, recoveryCodesPage(codes, 'The recovery codes before these do not work any more.'))
  })

  form('remove', true, async (request, reply, who, user) => {
    if (!twoSteps.hasTwoSteps(user)) return show(reply, who, { status: 409, problem: 'It is not on.' })
    const check = await twoSteps.checkCode(user, CodeForm.parse(request.body).code, whenceOf(request))
    if (check.type !== 'right') return show(reply, who, problemOf(check, reply))
    await twoSteps.remove(who.userId, whenceOf(request))
    users.accounts.tell(user.email, 'Sign-in in two steps was turned off')
    return show(reply, who, { status: 200, said: 'Sign-in in two steps is off.' })
  })
}
