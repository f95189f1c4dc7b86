import { useApp } from '../app-state.js'
import { signOut } from '../sign-out.js'
import { Icon, Logo } from './icons.js'

/** The bar at the top: where to go, whether what is shown is live, dark or light, and the way out. */
export function Header() {
  const { navigation } = useApp()
  const { page } = navigation.route.value
  const isPrinters = ['printers', 'printer', 'add', 'detection'].includes(page)
  const isPrints = ['prints', 'print', 'backtest'].includes(page)
  return (
    <header class="header">
      <div class="header-inner">
        <a class="brand" href="/" aria-label="Printwarden, all printers">
          <Logo />
          <span class="brand-name">Printwarden</span>
        </a>
        <nav class="nav" aria-label="Main">
          <a href="/" aria-current={isPrinters ? 'page' : undefined}>
            Printers
          </a>
          <a href="/prints" aria-current={isPrints ? 'page' : undefined}>
            Prints
          </a>
          <a href="/assistant/" aria-current={page === 'assistant' ? 'page' : undefined}>
            Assistant
          </a>
        </nav>
        <div class="header-end">
          <LiveMark />
          <ThemeButton />
          <a
            class="icon-button"
            href="/account/"
            aria-label="Account, apps and access tokens"
            title="Account, apps and access tokens"
          >
            <Icon name="key" />
          </a>
          <SignOutButton />
        </div>
      </div>
    </header>
  )
}

function LiveMark() {
  const { live } = useApp()
  const isLive = live.status.value.state === 'live'
  return (
    <span
      class={`live-mark ${isLive ? 'is-live' : 'is-lost'}`}
      title={isLive ? 'Updates arrive live' : 'Not connected'}
    >
      <span class="live-dot" aria-hidden="true" />
      {isLive ? 'Live' : 'Not live'}
    </span>
  )
}

function ThemeButton() {
  const { theme } = useApp()
  const isDark = theme.theme.value === 'dark'
  return (
    <button type="button" class="icon-button" aria-label={isDark ? 'Light theme' : 'Dark theme'} onClick={theme.toggle}>
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  )
}

function SignOutButton() {
  const { user, notices } = useApp()
  const leave = () => {
    signOut().catch((error: unknown) => notices.complain('Could not sign out', error))
  }
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Sign out ${user.email}`}
      title={`Sign out ${user.email}`}
      onClick={leave}
    >
      <Icon name="exit" />
    </button>
  )
}
