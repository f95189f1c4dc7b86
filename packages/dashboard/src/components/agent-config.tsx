import { configLines } from '../config-lines.js'
import { isLoopback } from '../loopback.js'
import { CopyButton } from './copy-button.js'

const RUN_COMMAND = 'npm run agent -- run --config printwarden-agent.cfg'

/** The configuration of an agent for one printer; with a token it is ready to be copied. */
export function AgentConfig({ name, token }: { name: string; token: string | undefined }) {
  const lines = configLines(location.origin, name, token)
  return (
    <div class="config">
      <div class="config-head">
        <code>printwarden-agent.cfg</code>
        {token !== undefined && <CopyButton text={lines} label="Copy" />}
      </div>
      <pre tabIndex={0}>{lines}</pre>
      {isLoopback(location.hostname) && (
        <p class="hint">
          This page was opened at <code>{location.host}</code>. If the agent runs on another computer, write this
          server’s address in the network instead.
        </p>
      )}
    </div>
  )
}

/** The command that starts an agent. */
export function AgentCommand() {
  return (
    <div class="config">
      <div class="config-head">
        <code>{RUN_COMMAND}</code>
        <CopyButton text={RUN_COMMAND} label="Copy" />
      </div>
    </div>
  )
}
