import type { PrinterPrompt } from '@printwarden/protocol'
import { HostError, type HostDeps } from '../../host.js'
import { afterAction, type Prompt } from './actions.js'
import type { Connection } from './connection-client.js'

/** What the firmware asks somebody, and the way back for the answer. */
export class Questions {
  private prompt: Prompt | undefined

  constructor(
    private readonly deps: Pick<HostDeps, 'report' | 'log'>,
    private readonly connection: () => Connection,
    private readonly newId: () => string,
  ) {}

  /** The question that waits for an answer. */
  get open(): Prompt | undefined {
    return this.prompt?.isShown ? this.prompt : undefined
  }

  /** The question as the agent reports it. */
  get told(): PrinterPrompt | undefined {
    return this.open && { id: this.open.id, text: this.open.message, choices: [...this.open.choices] }
  }

  /** Takes an action of the firmware; says whether another question is open now. */
  take(action: string, text: string): boolean {
    const before = this.open
    this.prompt = afterAction(this.prompt, action, text, this.newId())
    const { open } = this
    if (open && open !== before) {
      const { message, choices } = open
      this.deps.log.warn({ message, choices }, 'the printer asks somebody')
      const words = choices.length > 0 ? `${message} (${choices.join(' / ')})` : message
      this.deps.report({ type: 'notice', notice: { about: 'question', title: 'The printer asks', text: words } })
    }
    return open !== before
  }

  /**
   * Answers, past whatever the firmware is doing: it waits for just that.
   *
   * @throws {HostError} `rejected` when this is not asked any more
   */
  answer(promptId: string, choice: number): void {
    const { open } = this
    if (open?.id !== promptId || choice >= open.choices.length) {
      throw new HostError('rejected', 'this is not asked any more')
    }
    this.connection().sendPastQueue(`M876 S${choice}`)
    this.forget()
  }

  forget(): void {
    this.prompt = undefined
  }
}
