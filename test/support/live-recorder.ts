import type { Client, Printer } from '@printwarden/sdk'

/** What one printer's live updates said, in order. */
export interface LiveRecorder {
  /** State texts, without repetitions. */
  states(): string[]
  /** The highest failure gauge seen. */
  gaugePeak(): number
  close(): void
}

/** Subscribes to one printer and keeps what comes. */
export function recordLive(client: Client, printerId: number): LiveRecorder {
  const states: string[] = []
  let peak = 0
  const take = ({ status, normalized_p }: Printer): void => {
    peak = Math.max(peak, normalized_p)
    const text = status?.state.text
    if (text !== undefined && text !== states.at(-1)) states.push(text)
  }
  const subscription = client.live({
    printers: [printerId],
    onState: (printers) => printers.forEach(take),
    onChange: take,
  })
  return { states: () => states, gaugePeak: () => peak, close: () => subscription.close() }
}
