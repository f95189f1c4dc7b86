import { percent } from '../format.js'

/** How far something is, in percent; without a value the bar is empty and says so. */
export function ProgressBar({ value, label }: { value: number | null | undefined; label: string }) {
  const known = value ?? undefined
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={known === undefined ? undefined : Math.floor(known)}
      aria-valuetext={known === undefined ? 'not known' : percent(known)}
    >
      <span style={{ width: `${Math.min(100, Math.max(0, known ?? 0))}%` }} />
    </div>
  )
}
