import type { PrintSummary } from '@printwarden/sdk'
import { secondsOf } from '../format.js'
import type { ScoreSample } from '../samples.js'
import { ScoreChart, type ScoreMark } from './score-chart.js'

type Shown = Pick<PrintSummary, 'started_at' | 'ended_at' | 'alerted_at' | 'paused_at'>

/** The failure gauge of one print from its start to its end. */
export function PrintScore({ print, samples }: { print: Shown; samples: readonly ScoreSample[] }) {
  return (
    <ScoreChart
      samples={samples}
      marks={marksOf(print)}
      startedAt={print.started_at === null ? undefined : secondsOf(print.started_at)}
      endedAt={print.ended_at === null ? undefined : secondsOf(print.ended_at)}
    />
  )
}

/** The moments of a print that its chart marks. */
function marksOf(print: Shown): ScoreMark[] {
  const marks: ScoreMark[] = []
  if (print.alerted_at !== null) marks.push({ ts: secondsOf(print.alerted_at), text: 'alert', tone: 'bad' })
  if (print.paused_at !== null) marks.push({ ts: secondsOf(print.paused_at), text: 'paused', tone: 'warning' })
  return marks
}
