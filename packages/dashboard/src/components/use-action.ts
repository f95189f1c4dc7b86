import type { ActionResult } from '@printwarden/sdk'
import { useRef, useState } from 'preact/hooks'
import { useApp } from '../app-state.js'

/**
 * Carries out one thing at a time and says what went wrong. A second wish while one is under way is passed over; buttons are not
 * disabled meanwhile, since that would take the focus from them.
 */
export interface Action {
  readonly isBusy: boolean
  /** Runs `work`; `what` begins the sentence of a complaint, as in "Could not pause". */
  readonly run: <Result>(what: string, work: () => Promise<Result>, then?: (result: Result) => void) => void
}

/** For buttons that ask the server for something. */
export function useAction(): Action {
  const { notices } = useApp()
  const [isBusy, setBusy] = useState(false)
  const isRunning = useRef(false)
  return {
    isBusy,
    run: (what, work, then) => {
      if (isRunning.current) return
      isRunning.current = true
      setBusy(true)
      work()
        .then((result) => then?.(result))
        .catch((error: unknown) => notices.complain(what, error))
        .finally(() => {
          isRunning.current = false
          setBusy(false)
        })
    },
  }
}

/** What follows an answered action: the printer is shown as it is now, the command is followed, and a "no" is said. */
export function useActionResult(): (result: ActionResult, refused: string) => void {
  const { client, live, notices } = useApp()
  return (result, refused) => {
    live.putPrinter(result.printer)
    if (!result.succeeded) return notices.say(refused)
    if (result.command_id === null) return
    // The live socket tells each step; this first look covers a step that was told before we knew of the command.
    client
      .getCommand({ id: result.printer.id, command_id: result.command_id })
      .then((command) => live.putCommand(command))
      .catch((error: unknown) => notices.complain('Could not follow the command', error))
  }
}
