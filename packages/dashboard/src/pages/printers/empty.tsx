import { Icon } from '../../components/icons.js'
import { LinkCommand } from '../../components/link-command.js'

/** What a newcomer sees: what is missing, and how to add it. */
export function NoPrinters() {
  return (
    <section class="welcome">
      <h1>Add your first printer</h1>
      <p class="lead">
        Printwarden watches a printer through its <em>agent</em>, a small program that runs beside OctoPrint, Klipper or
        another printer host and sends pictures and states here.
      </p>
      <ol class="steps">
        <li>
          <strong>Start the agent</strong> on the computer beside the printer. It finds the printer and shows a code.
          <LinkCommand />
        </li>
        <li>
          <strong>Enter the code here.</strong> The printer appears within seconds.
          <p>
            <a class="button primary" href="/printers/new">
              <Icon name="plus" /> Add a printer
            </a>
          </p>
        </li>
      </ol>
    </section>
  )
}
