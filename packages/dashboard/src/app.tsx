import { useEffect } from 'preact/hooks'
import { useApp } from './app-state.js'
import { ConnectionBanner } from './components/connection-banner.js'
import { Header } from './components/header.js'
import { NoticeList } from './components/notice-list.js'
import { AddPrinterPage } from './pages/add-printer/page.js'
import { AssistantPage } from './pages/assistant/page.js'
import { DetectionPage } from './pages/detection/page.js'
import { BacktestPage } from './pages/backtest/page.js'
import { MissingPage } from './pages/missing/page.js'
import { PrintPage } from './pages/print/page.js'
import { PrinterPage } from './pages/printer/page.js'
import { PrintersPage } from './pages/printers/page.js'
import { PrintsPage } from './pages/prints/page.js'
import type { Route } from './router.js'
import { signIn } from './session.js'

/** The whole dashboard. */
export function App() {
  const { navigation, live } = useApp()
  const route = navigation.route.value
  const status = live.status.value
  const isSignedOut = status.state === 'closed' && status.error?.status === 401

  useEffect(() => {
    if (isSignedOut) void signIn()
  }, [isSignedOut])

  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Header />
      <ConnectionBanner />
      <main id="main" tabIndex={-1} class="page">
        <Page route={route} />
      </main>
      <NoticeList />
    </>
  )
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'printers':
      return <PrintersPage />
    case 'printer':
      return <PrinterPage key={route.id} id={route.id} />
    case 'detection':
      return <DetectionPage key={route.id} id={route.id} />
    case 'add':
      return <AddPrinterPage code={route.code} passcode={route.passcode} printerId={route.printerId} />
    case 'prints':
      return <PrintsPage number={route.number} filter={route.filter} />
    case 'print':
      return <PrintPage key={route.id} id={route.id} />
    case 'backtest':
      return <BacktestPage key={route.id} id={route.id} />
    case 'assistant':
      return <AssistantPage id={route.id} />
    case 'missing':
      return <MissingPage />
  }
}
