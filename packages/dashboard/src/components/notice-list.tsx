import { useApp } from '../app-state.js'
import { Icon } from './icons.js'

/** The short messages at the edge of the page. */
export function NoticeList() {
  const { notices } = useApp()
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.list.value.map((notice) => (
        <div key={notice.id} class={`notice tone-${notice.tone}`}>
          <span>{notice.text}</span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => notices.dismiss(notice.id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  )
}
