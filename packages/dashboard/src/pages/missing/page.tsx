import { usePageTitle } from '../../components/page-title.js'

/** An address that leads nowhere. */
export function MissingPage({ what = 'This page does not exist' }: { what?: string }) {
  usePageTitle('Not found')
  return (
    <section class="lonely">
      <h1>{what}</h1>
      <p>
        <a class="button" href="/">
          All printers
        </a>
      </p>
    </section>
  )
}
