import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { offers } from '../../printer-commands.js'

const REFUSED = 'The answer did not reach the printer: its agent is not connected.'

/** The question that the printer asks, with its answers where the agent can pass one on. */
export function PromptPanel({ printer }: { printer: Printer }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const prompt = printer.status?.prompt
  if (prompt === undefined) return null
  const answer = (choice: number) =>
    run(
      'Could not answer',
      () => client.answerPrompt({ id: printer.id, prompt_id: prompt.id, choice }),
      (result) => take(result, REFUSED),
    )
  const canAnswer = offers(printer, 'answer_prompt') && prompt.choices.length > 0
  return (
    <section class="question" role="alert" aria-label="The printer asks">
      <p class="quiet">The printer asks</p>
      <p class="question-text">{prompt.text}</p>
      {canAnswer ? (
        <div class="buttons">
          {prompt.choices.map((words, choice) => (
            <button
              key={`${choice} ${words}`}
              type="button"
              class={choice === 0 ? 'button primary' : 'button'}
              onClick={() => answer(choice)}
            >
              {words}
            </button>
          ))}
        </div>
      ) : (
        <p class="hint">Answer it at the printer itself.</p>
      )}
    </section>
  )
}
