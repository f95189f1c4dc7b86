/** Why the agent cannot be installed on a machine, and what to do. */
export interface PlatformProblem {
  readonly text: string
  readonly mend: string
}

/** The oldest Node that the agent runs on. */
const LEAST_NODE = [20, 19] as const
const ARCHITECTURES = ['arm64', 'x64']

/**
 * What stands against a machine; empty when nothing does.
 *
 * @param arch as `process.arch`: the one of Node itself, so a 64-bit kernel below a 32-bit system counts as 32-bit
 * @param nodeVersion as `process.versions.node`
 */
export function platformProblems(arch: string, nodeVersion: string): PlatformProblem[] {
  const problems: PlatformProblem[] = []
  if (!ARCHITECTURES.includes(arch)) {
    problems.push({
      text: `this is a ${arch === 'arm' || arch === 'ia32' ? '32-bit' : arch} system, which the agent does not support`,
      mend: 'install the 64-bit image of your system (a Raspberry Pi 3, 4, 5 or Zero 2 can run it), or run the agent on another computer in the network and name the host with --url',
    })
  }
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
    problems.push({
      text: `Node ${nodeVersion} is too old: it must be ${LEAST_NODE.join('.')} or newer`,
      mend: 'install Node 22 beside it: docs/install-agent.md, “A recent Node on an older image”',
    })
  }
  return problems
}
