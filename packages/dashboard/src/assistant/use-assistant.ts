import { useApp } from '../app-state.js'
import { type ProblemWords, problemWords } from './words.js'

/** Turns why a question was not answered into words for whoever is signed in. */
export function useProblemWords(): (error: unknown) => ProblemWords {
  const { assistant, user, now } = useApp()
  return (error) =>
    problemWords(error, {
      isAdmin: user.is_admin,
      nowSeconds: now.value,
      quota: assistant.credits.value?.ai_credit_free_monthly_quota,
    })
}
