import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Route, routeOf } from './router.js'

/** Where the reader is, and how to get elsewhere. */
export interface Navigation {
  readonly route: ReadonlySignal<Route>
  go(path: string): void
  /** Gives the place where the reader is another address. */
  rename(path: string): void
}

/** Follows the address bar, and turns clicks on links of our own into steps without a reload. */
export function openNavigation(): Navigation {
  const address = signal({ path: location.pathname, search: location.search })
  const read = () => {
    address.value = { path: location.pathname, search: location.search }
  }
  const go = (path: string) => {
    history.pushState(null, '', path)
    read()
    window.scrollTo(0, 0)
    // As after a real step to another page, the keyboard begins at its top.
    document.getElementById('main')?.focus({ preventScroll: true })
  }
  const rename = (path: string) => {
    history.replaceState(null, '', path)
    read()
  }
  window.addEventListener('popstate', read)
  document.addEventListener('click', (event) => {
    const path = pathOfClick(event)
    if (path === undefined) return
    event.preventDefault()
    go(path)
  })
  return { route: computed(() => routeOf(address.value.path, address.value.search)), go, rename }
}

/** Where a click leads within the dashboard; undefined when it is the browser's business. */
function pathOfClick(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return undefined
  const link = event.target.closest('a')
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download'))
    return undefined
  const route = routeOf(link.pathname, link.search)
  return route.page === 'missing' ? undefined : link.pathname + link.search
}
