import type { HostDeps } from '../../host.js'
import { NO_FACTS, readFileFacts } from './file-metadata.js'
import { ANSWER_TIMEOUT_MS, type KlippyClient } from './klippy-client.js'
import { PRESETS_KEY, readPresets } from './presets.js'
import type { View } from './translate.js'

/** What Moonraker knows beside the state of the printer, asked for when it is needed. */
export interface Lookups {
  /** Asks for what is known of a file, unless that is known; `again` after it may have been replaced. */
  facts(filename: string | undefined, again: boolean): void
  /** Asks for the temperature presets, and reports them. */
  presets(): void
}

export function openLookups(deps: {
  readonly call: KlippyClient['call']
  readonly facts: () => View['facts']
  readonly show: (facts: NonNullable<View['facts']>, isAnswer: boolean) => void
  readonly isClosed: () => boolean
  readonly report: HostDeps['report']
  readonly log: HostDeps['log']
}): Lookups {
  const { call, facts, show, isClosed, report, log } = deps
  return {
    facts: (filename, again) => {
      if (!filename || (facts()?.filename === filename && !again)) return
      // Marked as known at once, so that the next update does not ask again.
      show({ filename, value: NO_FACTS }, false)
      call('server.files.metadata', { filename }, ANSWER_TIMEOUT_MS).then(
        (answer) => {
          if (facts()?.filename === filename) show({ filename, value: readFileFacts(answer) }, true)
        },
        (err: unknown) => log.debug({ err }, 'Moonraker tells nothing about the file'),
      )
    },
    presets: () => {
      call('server.database.get_item', PRESETS_KEY, ANSWER_TIMEOUT_MS).then(
        (answer) => {
          if (!isClosed()) report({ type: 'profiles', profiles: readPresets(answer) })
        },
        (err: unknown) => log.debug({ err }, 'there are no temperature presets'),
      )
    },
  }
}
