import { accessMutations } from './access-mutations.js'
import { assistantMutations } from './assistant-mutations.js'
import type { Mutation } from './mutation.js'
import { orderMutations } from './order-mutations.js'
import { resourceMutations } from './resource-mutations.js'
import { socketMutations } from './socket-mutations.js'

/** Every rule that the kit must notice when it is broken. */
export const allMutations: readonly Mutation[] = [
  ...accessMutations,
  ...resourceMutations,
  ...assistantMutations,
  ...orderMutations,
  ...socketMutations,
]
