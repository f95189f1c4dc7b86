import { User } from '#protocol'
import type { Case } from '../run.js'
import { z } from 'zod'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'

const ME = '/api/v1/users/me/'

export const usersCases: readonly Case[] = [
  {
    id: 'users/own-profile',
    group: 'contract',
    section: 'api.md §4.1',
    title: "The profile is that of the token's user, and a JSON object",
    async run({ owner, anonymous, target }) {
      const Profile = z.looseObject({})
      const mine = expectBody(await owner.get(ME), Profile)
      const others = expectBody(await anonymous.as(target.tokens.other).get(ME), Profile)
      expectTrue(JSON.stringify(mine) !== JSON.stringify(others), 'both users have the same profile')
      expectTrue(JSON.stringify(mine).includes(target.owner.email), "the owner's profile lacks the address")
    },
  },
  {
    id: 'users/get',
    group: 'decisions',
    section: 'decision 7',
    title: 'The profile has every field with its type',
    async run({ owner, target }) {
      const me = expectBody(await owner.get(ME), User)
      expectEqual(me.email, target.owner.email, 'the e-mail address')
    },
  },
  {
    id: 'users/update',
    group: 'contract',
    section: 'api.md §4.1',
    title: 'PATCH changes the profile, and only what it names',
    async run({ owner }) {
      const before = expectBody(await owner.get(ME), User.loose())
      const first_name = `Name ${Date.now()}`
      const changed = expectBody(await owner.patch(ME, { first_name }), User.loose())
      expectEqual(changed.first_name, first_name, 'first_name in the answer')
      const after = expectBody(await owner.get(ME), User.loose())
      const { last_active_at: _ignored, ...expected } = { ...before, first_name }
      const { last_active_at: _alsoIgnored, ...actual } = after
      expectEqual(actual, expected, 'the profile')
    },
  },
  {
    id: 'users/read-only',
    group: 'decisions',
    section: 'decision 7',
    title: 'Read-only and unknown fields in PATCH are ignored',
    async run({ owner, target }) {
      const change = { id: 1, email: 'someone@else.example', is_admin: true, is_pro: false, no_such_field: 1 }
      const changed = expectBody(await owner.patch(ME, change), User)
      expectEqual(changed.email, target.owner.email, 'the e-mail address')
      expectEqual(changed.is_admin, false, 'is_admin')
    },
  },
  {
    id: 'users/all-or-nothing',
    group: 'decisions',
    section: 'decision 7',
    title: 'A wrong type is 400 and changes nothing, not even the fields that are right',
    async run({ owner }) {
      const before = expectBody(await owner.get(ME), User)
      const answer = await owner.patch(ME, { last_name: `not ${before.last_name}`, mobile_app_canary: 'maybe' })
      expectProblem(answer, 400, 'invalid_request')
      expectEqual(expectBody(await owner.get(ME), User).last_name, before.last_name, 'last_name')
    },
  },
]
