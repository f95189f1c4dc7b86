import { AgentCommand, AgentConfig } from '../../components/agent-config.js'
import { Icon } from '../../components/icons.js'

/** What a newcomer sees: what is missing, and how to add it. */
export function NoPrinters() {
  return (
    <section class="welcome">
      <h1>Add your first printer</h1>
      <p class="lead">
        Printwarden watches a printer through its <em>agent</em>, a small program that runs beside OctoPrint or another
        printer host and sends pictures and states here.
      </p>
      <ol class="steps">
        <li>
          <strong>Create the printer here.</strong> You get a token that lets its agent in.
          <p>
            <a class="button primary" href="/printers/new">
              <Icon name="plus" /> Add a printer
            </a>
          </p>
        </li>
        <li>
          <strong>Write the agent’s configuration</strong> on the computer beside the printer:
          <AgentConfig name="My printer" token={undefined} />
        </li>
        <li>
          <strong>Start the agent.</strong> The printer appears here within seconds.
          <AgentCommand />
        </li>
      </ol>
    </section>
  )
}
