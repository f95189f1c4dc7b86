import type { AssistantModel } from '../assistant/model.js'
import type { Config } from '../config.js'

/** The assistant's models, as the configuration names them; undefined when there are none. */
export async function openModel({ assistant, outboundAllow: allow }: Config): Promise<AssistantModel | undefined> {
  const { text, vision, timeoutMs } = assistant
  if (text === undefined) return undefined
  // Read only where they are used: most servers have no assistant, and start sooner.
  const [{ openOpenAiModel }, { openGuardedFetch }] = await Promise.all([
    import('./model-openai.js'),
    import('./outbound-fetch.js'),
  ])
  return openOpenAiModel({ text, vision, timeoutMs, fetch: openGuardedFetch({ allow }) })
}
