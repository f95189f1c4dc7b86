import type { AlertEvidence } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { explanationOf } from './evidence.js'

const evidence = (rule: Partial<AlertEvidence['rule']> = {}, parts: AlertEvidence['parts'] = []): AlertEvidence => ({
  rule: {
    ...{ smoothing: 'default', level: 'failing', score: 0.91, judged_score: 0.91, mean: 0.83, norm: 0.12 },
    ...{ sensitivity: 1, calibration_offset: 0, normalized_p: 0.784, warning_at: 1 / 3, failing_at: 2 / 3 },
    ...rule,
  },
  parts,
  model: 'test/1',
  settings: {},
  history: [],
})

test.each([
  [
    'a pause',
    evidence(),
    'paused',
    'The print was paused. The last pictures scored 0.83 on average, where good pictures of this camera score 0.12. ' +
      'That puts the gauge at 78%, above two thirds, where a print counts as failing.',
  ],
  [
    'a warning at another sensitivity',
    evidence({ level: 'warning', normalized_p: 0.41, sensitivity: 1.2 }),
    'warning',
    'You were warned. The last pictures scored 0.83 on average, where good pictures of this camera score 0.12. ' +
      'That puts the gauge at 41% at sensitivity 1.20, above one third, where it is worth a warning.',
  ],
  [
    'what moved the score',
    evidence({ judged_score: 0.7, calibration_offset: -0.4 }, [{ name: 'baseline', before: 0.91, after: 0.7 }]),
    'paused',
    'The print was paused. The last pictures scored 0.83 on average, where good pictures of this camera score 0.12. ' +
      'That puts the gauge at 78%, above two thirds, where a print counts as failing. This picture scored 0.91, which counted as ' +
      '0.70. Your answers make this camera less ready to alert.',
  ],
])('an alert is explained: %s', (_name, of, outcome, text) => {
  expect(explanationOf(of, outcome)).toBe(text)
})

test('the classic smoothing is told in its own terms', () => {
  expect(explanationOf(evidence({ smoothing: 'upstream' }), 'used_up')).toMatch(
    /^You were told; .* findings .* add up to 0\.83/,
  )
})
