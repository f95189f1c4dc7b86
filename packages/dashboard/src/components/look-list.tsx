import type { AssistantLook } from '@printwarden/sdk'
import { Icon } from './icons.js'

/** What was looked at for an answer. */
export function LookList({ looks }: { looks: readonly AssistantLook[] }) {
  const abouts = [...new Set(looks.map(({ about }) => about))]
  if (abouts.length === 0) return null
  return (
    <div class="looks">
      <span class="looks-label">
        <Icon name="eye" /> Looked at
      </span>
      <ul aria-label="Looked at">
        {abouts.map((about) => (
          <li key={about}>{about}</li>
        ))}
      </ul>
    </div>
  )
}
