/** A question that the firmware shows, for somebody to answer. */
export interface Prompt {
  readonly id: string
  readonly message: string
  readonly choices: readonly string[]
  readonly isShown: boolean
}

/** More than these no firmware asks; noise does not grow a question for ever. */
const MOST_CHOICES = 50

/**
 * The prompt after an action of the firmware; undefined when there is none (any more).
 *
 * @param id of a prompt that begins with this action
 */
export function afterAction(prompt: Prompt | undefined, action: string, text: string, id: string): Prompt | undefined {
  switch (action) {
    case 'prompt_begin':
      return { id, message: text, choices: [], isShown: false }
    case 'prompt_choice':
    case 'prompt_button':
      return prompt && { ...prompt, choices: [...prompt.choices, text].slice(0, MOST_CHOICES) }
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
export function choiceToGoOn({ choices }: Pick<Prompt, 'choices'>): number {
  return Math.max(
    0,
    choices.findIndex((choice) => GO_ON.test(choice)),
  )
}
