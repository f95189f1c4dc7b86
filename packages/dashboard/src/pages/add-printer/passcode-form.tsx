import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { useAction } from '../../components/use-action.js'
import { isWholePasscode, passcodeOf, passcodeProblem } from './existing-words.js'
import type { LinkCode } from './use-link-code.js'

/** Takes the five letters and digits that an agent shows, and gives it the code. The agent does the rest by itself. */
export function PasscodeForm({ code, passcode: given }: { code: LinkCode | undefined; passcode: string | undefined }) {
  const { client } = useApp()
  const [passcode, setPasscode] = useState(given ?? '')
  const [isClaimed, setClaimed] = useState(false)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const { isBusy, run } = useAction()
  const button = useRef<HTMLButtonElement>(null)
  const isReady = code !== undefined
  useEffect(() => {
    if (given !== undefined && isReady) button.current?.focus()
  }, [isReady])

  const claim = async (): Promise<boolean> => {
    const digits = code?.code ?? undefined
    if (digits === undefined) return false
    try {
      await client.claimPasscode({ one_time_passcode: passcode, verification_code: digits })
      return true
    } catch (error) {
      const words = passcodeProblem(error)
      if (words === undefined) throw error
      setProblem(words)
      return false
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setProblem(undefined)
    run('Could not link it', claim, setClaimed)
  }
  return (
    <form class="form" onSubmit={submit}>
      {given !== undefined && <p>Link the agent only if it is yours and shows just this code.</p>}
      <label class="field">
        <span>Five letters and digits that the agent shows</span>
        <input
          class="code-field"
          name="passcode"
          value={passcode}
          onInput={(event) => setPasscode(passcodeOf(event.currentTarget.value))}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="abc23"
          maxLength={12}
          required
          aria-invalid={problem !== undefined}
          aria-describedby="passcode-problem"
        />
      </label>
      <p id="passcode-problem" class="field-problem" role="alert" hidden={problem === undefined}>
        {problem}
      </p>
      <button type="submit" class="button" disabled={!isWholePasscode(passcode) || !isReady} ref={button}>
        {isBusy ? 'Linking…' : 'Link this agent'}
      </button>
      <p class="quiet" role="status" hidden={!isClaimed}>
        The agent gets its code within seconds, and this page goes on by itself.
      </p>
    </form>
  )
}
