import { useEffect } from 'preact/hooks'

/** Names the page in the tab. `isUrgent` marks it, so that an alert is seen from another tab. */
export function usePageTitle(title: string, isUrgent = false): void {
  useEffect(() => {
    document.title = `${isUrgent ? '⚠ ' : ''}${title} · Printwarden`
  }, [title, isUrgent])
}
