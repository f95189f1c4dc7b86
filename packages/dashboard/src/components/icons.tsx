import type { ComponentChildren } from 'preact'

const PATHS = {
  eye: (
    <>
      <path d="M2 12s3.6-6.5 10-6.500S22 12 22 12s-3.6 6.5-10 6.500S2 12 2 12z" />
      <circle cx="12" cy="12" r="3" />
    </>
  ),
  'eye-off': (
    <>
      <path d="M4.5 8.200C2.9 9.9 2 12 2 12s3.6 6.5 10 6.500c1.6 0 3-.4 4.2-1M9.8 5.700c.7-.1 1.4-.2 2.2-.2 6.4 0 10 6.5 10 6.500s-.7 1.3-2 2.7" />
      <path d="M3 3l18 18" />
    </>
  ),
  moon: <path d="M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z" />,
  sun: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 2v2.500M12 19.500V22M2 12h2.500M19.5 12H22M4.9 4.900l1.8 1.800M17.3 17.300l1.8 1.800M4.9 19.100l1.8-1.800M17.3 6.700l1.8-1.8" />
    </>
  ),
  key: (
    <>
      <circle cx="8" cy="15" r="4" />
      <path d="M11 12l8.5-8.5M16 7l3 3M13.5 9.500l2 2" />
    </>
  ),
  exit: <path d="M10 4H5v16h5M15 8l4 4-4 4M19 12H9" />,
  pause: <path d="M8 5v14M16 5v14" />,
  play: <path d="M7 4.500v15l12-7.500z" />,
  stop: <path d="M6 6h12v12H6z" />,
  bell: <path d="M6 16.500V11a6 6 0 0 1 12 0v5.500l1.5 2h-15zM10 21h4" />,
  'bell-off': <path d="M18 14V11a6 6 0 0 0-9.5-4.900M6 11v5.500l-1.5 2H17M10 21h4M3 3l18 18" />,
  alert: <path d="M12 4l9.5 16h-19zM12 10v4.500M12 17.500v.01" />,
  check: <path d="M5 12.500l4.5 4.500L19 7.5" />,
  cross: <path d="M6 6l12 12M18 6L6 18" />,
  plus: <path d="M12 5v14M5 12h14" />,
  send: <path d="M12 20V5M6 11l6-6 6 6" />,
  trash: <path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />,
  thermometer: <path d="M10 13.500V5a2 2 0 0 1 4 0v8.500a4 4 0 1 1-4 0zM12 10v7" />,
  chart: <path d="M4 19h16M5 15l4-5 4 3 6-8" />,
  flag: <path d="M6 21V4h11l-2 4 2 4H6" />,
  sparkle: (
    <path d="M12 3l1.9 5.600L19.5 10.500l-5.6 1.900L12 18l-1.900-5.600L4.500 10.500l5.600-1.900zM19 16v4M17 18h4" />
  ),
  copy: <path d="M9 9h11v11H9zM15 9V4H4v11h5" />,
  back: <path d="M15 5l-7 7 7 7" />,
  forward: <path d="M9 5l7 7-7 7" />,
  camera: (
    <>
      <path d="M3 8h4l2-3h6l2 3h4v11H3z" />
      <circle cx="12" cy="13" r="3.5" />
    </>
  ),
  dot: <circle cx="12" cy="12" r="4" fill="currentColor" stroke="none" />,
} satisfies Record<string, ComponentChildren>

/** The name of a drawing. */
export type IconName = keyof typeof PATHS

/** A small drawing beside words; it says nothing by itself, so it is hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  )
}

/** Our mark: a nozzle above three layers. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path d="M10 5.500h12v4.500l-4 4.500h-4l-4-4.500z" class="logo-ink-fill" />
      <g stroke-width="2.6" stroke-linecap="round" class="logo-ink">
        <path d="M12 18.600h8" />
        <path d="M9.5 22.600h13" opacity=".8" />
        <path d="M7 26.600h18" opacity=".6" />
      </g>
    </svg>
  )
}
