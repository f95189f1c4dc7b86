import { defineEndpoint } from '../endpoint.js'
import { User, UserChanges } from '../resources.js'

export const getMe = defineEndpoint({
  id: 'getMe',
  method: 'GET',
  path: '/api/v1/users/me/',
  tag: 'user',
  summary: "The current user's profile",
  access: 'read',
  output: User,
})

export const updateMe = defineEndpoint({
  id: 'updateMe',
  method: 'PATCH',
  path: '/api/v1/users/me/',
  tag: 'user',
  summary: "Update the current user's profile",
  description: 'Read-only and unknown fields are ignored.',
  access: 'write',
  body: UserChanges,
  output: User,
})
