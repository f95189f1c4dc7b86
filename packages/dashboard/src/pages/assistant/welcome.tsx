import { Icon } from '../../components/icons.js'

const FIRST_QUESTIONS = [
  'What are my printers doing right now?',
  'How did my last prints go?',
  'Which of my prints failed lately, and why?',
  'My first layer does not stick. What should I try?',
] as const

/** What an empty conversation says, and questions to begin with. */
export function Welcome({ canAsk, onAsk }: { canAsk: boolean; onAsk: (question: string) => void }) {
  return (
    <div class="assistant-welcome">
      <Icon name="sparkle" />
      <h2>What would you like to know?</h2>
      <p class="quiet">
        For its answers the assistant looks at your own printers, prints and files, and says at which. It can propose to
        pause, resume, cancel or start a print.
      </p>
      {canAsk && (
        <ul>
          {FIRST_QUESTIONS.map((question) => (
            <li key={question}>
              <button type="button" class="button" onClick={() => onAsk(question)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
