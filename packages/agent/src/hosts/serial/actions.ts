/** A question that the firmware shows, for somebody to answer. */
export interface Prompt {
  readonly message: string
  readonly choices: readonly string[]
  readonly isShown: boolean
}

/** The prompt after an action of the firmware; undefined when there is none (any more). */
export function afterAction(prompt: Prompt | undefined, action: string, text: string): Prompt | undefined {
  switch (action) {
    case 'prompt_begin':
      return { message: text, choices: [], isShown: false }
    case 'prompt_choice':
    case 'prompt_button':
      return prompt && { ...prompt, choices: [...prompt.choices, text] }
    case 'prompt_show':
      return prompt && { ...prompt, isShown: true }
    case 'prompt_end':
      return undefined
    default:
      return prompt
  }
}

const GO_ON = /continue|resume|reheat|proceed|^ok\b|^yes\b|done/i

/** The number of the choice that lets the print go on. */
export function choiceToGoOn({ choices }: Prompt): number {
  return Math.max(
    0,
    choices.findIndex((choice) => GO_ON.test(choice)),
  )
}
