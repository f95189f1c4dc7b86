/** One thing that installing does, as data: shown first, then carried out. Paths are as the running system sees them. */
export type Step =
  /** Makes the folder when it is not there. */
  | { readonly type: 'folder'; readonly path: string }
  /** Puts the program where it stays: `modules` is the `node_modules` folder that it runs from now. */
  | {
      readonly type: 'program'
      readonly path: string
      readonly modules: string
      readonly files: Readonly<Record<string, string>>
    }
  /** A file of ours. */
  | { readonly type: 'file'; readonly path: string; readonly text: string }
  /** Something appended to a file of somebody else. */
  | { readonly type: 'append'; readonly path: string; readonly text: string }
  /** A command of the system; not run below another root. */
  | { readonly type: 'run'; readonly command: readonly string[] }

/** A step in words, for whoever is asked. */
export function stepWords(step: Step): string {
  switch (step.type) {
    case 'folder':
      return `make the folder ${step.path}`
    case 'program':
      return `copy the program to ${step.path}`
    case 'file':
      return `write ${step.path}`
    case 'append':
      return `append “${step.text.trim()}” to ${step.path}`
    case 'run':
      return `run ${step.command.join(' ')}`
  }
}
