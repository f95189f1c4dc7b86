import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { useAction } from '../../components/use-action.js'
import { type FoundAgent, kindOf, placeOf, sendProblem } from './existing-words.js'
import type { LinkCode } from './use-link-code.js'

/** Agents speak every two to five seconds. */
const LOOK_MS = 3000

/** Agents in the reader's own network that belong to nobody, each with a button that sends it the code. Nothing when there are none. */
export function FoundAgents({ code }: { code: LinkCode | undefined }) {
  const agents = useFoundAgents()
  if (agents.length === 0) return null
  return (
    <div class="stack">
      <h3>In your network</h3>
      <ul class="found-agents">
        {agents.map((agent) => (
          <FoundAgentRow key={agent.device_id} agent={agent} code={code?.code ?? undefined} />
        ))}
      </ul>
    </div>
  )
}

function FoundAgentRow({ agent, code }: { agent: FoundAgent; code: string | undefined }) {
  const { client } = useApp()
  const [isSent, setSent] = useState(false)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const { isBusy, run } = useAction()

  const send = async (): Promise<boolean> => {
    if (code === undefined) return false
    try {
      await client.sendLinkCode({ code, device_id: agent.device_id })
      return true
    } catch (error) {
      const words = sendProblem(error)
      if (words === undefined) throw error
      setProblem(words)
      return false
    }
  }
  const link = () => {
    setProblem(undefined)
    run('Could not link it', send, setSent)
  }
  return (
    <li>
      <div>
        <strong>{kindOf(agent)}</strong> <span class="quiet">{placeOf(agent)}</span>
        <p class="field-problem" role="alert" hidden={problem === undefined}>
          {problem}
        </p>
      </div>
      <button type="button" class="button" onClick={link} disabled={code === undefined}>
        {isBusy ? 'Asking it…' : isSent ? 'Waiting for it…' : 'Link it'}
      </button>
    </li>
  )
}

function useFoundAgents(): readonly FoundAgent[] {
  const { client } = useApp()
  const [agents, setAgents] = useState<readonly FoundAgent[]>([])
  useEffect(() => {
    const controller = new AbortController()
    // What cannot be had now comes with the next round.
    const ask = () => {
      if (document.hidden) return
      client.listUnlinkedAgents({ signal: controller.signal }).then(setAgents, () => undefined)
    }
    ask()
    const timer = setInterval(ask, LOOK_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [client])
  return agents.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}
