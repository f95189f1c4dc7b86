import { agentMutations } from './agent-mutations.js'
import { allMutations } from './all-mutations.js'
import type { Mutation } from './mutation.js'

const rowsOf = (mutations: readonly Mutation[]): string =>
  mutations
    .map(({ id, breaks, cases }) => {
      const by = cases.map((one) => `\`${one}\``).join(', ')
      return `| \`${id}\` | ${breaks.replaceAll('|', '\\|')} | ${by} |`
    })
    .join('\n')

const HEAD = `| mutation | what is broken | cases that are run against it |
|---|---|---|`

/** The mutations as a page for people, kept at `docs/conformance-mutations.md`. */
export function mutationsPage(): string {
  return `# What the conformance kit notices

Does the kit notice anything? A proxy breaks one rule at a time; the extended suite fails when a broken rule is caught by no case. It
stands before our own server (${allMutations.length} mutations), and between our own agent and the kit (${agentMutations.length}). Nothing of that is in the product:
the mutations are in \`test/conformance/mutations/\`. Run them with

    npx vitest run --config vitest.extended.config.ts test/conformance/mutations

This page is made from them by \`npx vitest run test/conformance/kit.test.ts -u\`.

## Servers

${HEAD}
${rowsOf(allMutations)}

## Agents

${HEAD}
${rowsOf(agentMutations)}
`
}
