import type { Printer } from '@printwarden/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { LinkCommand } from '../../components/link-command.js'
import { useAction } from '../../components/use-action.js'
import { codeOf, codeProblem, isWholeCode } from './link-words.js'

/** Takes the code that an agent shows. Nothing is linked by merely opening an address: somebody must press the button. */
export function LinkForm(props: {
  code: string | undefined
  moved: Printer | undefined
  onLinked: (printer: Printer) => void
}) {
  const { client, live } = useApp()
  const [code, setCode] = useState(props.code ?? '')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const { isBusy, run } = useAction()
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => (props.code === undefined ? field : button).current?.focus(), [])

  const link = async (): Promise<Printer | undefined> => {
    try {
      return await client.linkPrinter({ code, ...(props.moved === undefined ? {} : { printer_id: props.moved.id }) })
    } catch (error) {
      const words = codeProblem(error)
      if (words === undefined) throw error
      setProblem(words)
      field.current?.focus()
      return undefined
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setProblem(undefined)
    run('Could not link it', link, (printer) => {
      if (printer === undefined) return
      live.putPrinter(printer)
      props.onLinked(printer)
    })
  }
  return (
    <form class="panel form" onSubmit={submit}>
      <h2>With the code of its agent</h2>
      {props.code === undefined ? (
        <div>
          <p>On the computer beside the printer, start:</p>
          <LinkCommand />
        </div>
      ) : (
        <p>Link the agent only if it is yours and shows just this code.</p>
      )}
      {props.moved !== undefined && (
        <p class="quiet">Its history stays. The agent that it has now is cut off as soon as the code is entered.</p>
      )}
      <label class="field">
        <span>The code that it shows</span>
        <input
          class="code-field"
          name="code"
          value={code}
          onInput={(event) => setCode(codeOf(event.currentTarget.value))}
          inputMode="numeric"
          autocomplete="one-time-code"
          placeholder="000000"
          maxLength={12}
          required
          aria-invalid={problem !== undefined}
          aria-describedby="code-problem"
          ref={field}
        />
      </label>
      <p id="code-problem" class="field-problem" role="alert" hidden={problem === undefined}>
        {problem}
      </p>
      <button type="submit" class="button primary" disabled={!isWholeCode(code)} ref={button}>
        {isBusy ? 'Linking…' : 'Link the agent'}
      </button>
    </form>
  )
}
