import { Icon } from '../../components/icons.js'

const FIRST_QUESTIONS = [
  'What are my printers doing right now?',
  'How did my last prints go?',
  'Which of my prints failed lately, and why?',
  'Why does my first layer not stick?',
] as const

/** What an empty conversation says, and questions to begin with. */
export function Welcome({ onAsk }: { onAsk: (question: string) => void }) {
  return (
    <div class="assistant-welcome">
      <Icon name="sparkle" />
      <h2>What would you like to know?</h2>
      <p class="quiet">
        For its answers the assistant looks at your own printers, prints and files, and says at which. It can propose to
        pause, resume, cancel or start a print.
      </p>
      <ul>
        {FIRST_QUESTIONS.map((question) => (
          <li key={question}>
            <button type="button" class="button" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
