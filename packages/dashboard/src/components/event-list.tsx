import type { PrinterEvent } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { secondsOf } from '../format.js'
import type { Tone } from '../wording.js'
import { Dialog } from './dialog.js'
import { Moment } from './when.js'

const TONES: Readonly<Record<PrinterEvent['event_class'], Tone>> = {
  ERROR: 'bad',
  WARNING: 'warning',
  SUCCESS: 'good',
  INFO: 'neutral',
}

/** A history, newest first. Pictures open large. */
export function EventList({ events }: { events: readonly PrinterEvent[] | undefined }) {
  const [opened, setOpened] = useState<PrinterEvent | undefined>(undefined)
  if (events === undefined) return <p class="quiet">Loading…</p>
  if (events.length === 0) return <p class="quiet">Nothing has happened yet.</p>
  return (
    <>
      <ol class="events">
        {events.map((event) => (
          <li key={event.id} class={`event tone-${TONES[event.event_class]}`}>
            <span class="event-dot" aria-hidden="true" />
            <div class="event-words">
              <p>
                <strong>{event.event_title ?? event.event_type}</strong>
                <span class="quiet nowrap">
                  <Moment ts={secondsOf(event.created_at)} />
                </span>
              </p>
              {event.event_text !== null && event.event_text !== '' && <p class="quiet">{event.event_text}</p>}
            </div>
            {event.image_url !== null && (
              <button type="button" class="thumb" aria-label="Show the picture" onClick={() => setOpened(event)}>
                <img src={event.image_url} alt="" loading="lazy" />
              </button>
            )}
          </li>
        ))}
      </ol>
      {opened?.image_url && (
        <Dialog title={opened.event_title ?? 'Picture'} isWide onClose={() => setOpened(undefined)}>
          <img class="full-picture" src={opened.image_url} alt={opened.event_title ?? ''} />
          <div class="dialog-buttons">
            <span class="quiet">
              {opened.event_title} · <Moment ts={secondsOf(opened.created_at)} />
            </span>
            <button type="button" class="button" onClick={() => setOpened(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
