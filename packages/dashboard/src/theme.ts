import { computed, type ReadonlySignal, signal } from '@preact/signals'

const KEY = 'printwarden.theme'

/** Dark or light: what the reader chose, else what the system says. */
export interface ThemeChoice {
  readonly theme: ReadonlySignal<'dark' | 'light'>
  readonly toggle: () => void
}

/** Reads the choice kept in this browser; `public/theme.js` has put it on the page already. */
export function openThemeChoice(): ThemeChoice {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const systemTheme = signal<'dark' | 'light'>(system.matches ? 'dark' : 'light')
  system.addEventListener('change', () => {
    systemTheme.value = system.matches ? 'dark' : 'light'
  })
  const given = document.documentElement.dataset.theme
  const chosen = signal<'dark' | 'light' | undefined>(given === 'dark' || given === 'light' ? given : undefined)
  const theme = computed(() => chosen.value ?? systemTheme.value)

  return {
    theme,
    toggle: () => {
      const next = theme.value === 'dark' ? 'light' : 'dark'
      // Going back to what the system says is no choice any more, so that it follows the system again.
      chosen.value = next === systemTheme.value ? undefined : next
      keep(chosen.value)
    },
  }
}

function keep(choice: 'dark' | 'light' | undefined): void {
  if (choice === undefined) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
  try {
    if (choice === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, choice)
  } catch {
    // Without storage the choice lasts as long as the tab.
  }
}
