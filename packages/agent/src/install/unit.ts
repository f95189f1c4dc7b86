/** The name of the unit, and of everything that must be called the same. */
export const SERVICE = 'printwarden-agent'

/** What a systemd unit of the agent is made from. Paths are absolute. */
export interface UnitOptions {
  /** The user's own manager, where nobody may install for the whole system. */
  readonly isUserUnit: boolean
  readonly user: string
  readonly home: string
  readonly node: string
  readonly program: string
  readonly config: string
  /** Folders that the agent writes into. */
  readonly writable: readonly string[]
  /** Groups of cameras and serial lines, those of them that this system has. */
  readonly groups: readonly string[]
  /** The major version of systemd; 0 when it is not known. */
  readonly systemdVersion: number
  /** Whether the agent itself sends a printer its lines: then the print waits whenever the agent does. */
  readonly printsItself: boolean
}

const GUEST_LINES = [
  '# A guest on the machine that prints: it yields to everything else.',
  'Nice=10',
  'CPUWeight=20',
  'IOSchedulingClass=idle',
  'OOMScoreAdjust=500',
]

/** A service of a user's own may not go before others: it is left where it is. */
const HOST_LINES = [
  '# It sends a printer its lines, one by one: it yields to nothing that can wait.',
  'CPUWeight=500',
  'IOSchedulingClass=best-effort',
]

const FIRST_LINES = ['Nice=-5', 'OOMScoreAdjust=-200']

/** The unit's text. */
export function unitText(options: UnitOptions): string {
  const { isUserUnit, node, program, config, systemdVersion } = options
  const start = [node, program, 'run', '--config', config].map(quoted).join(' ')
  return `${[
    '[Unit]',
    'Description=Printwarden agent',
    // A user's own manager knows no network; the agent waits for it by trying again.
    ...(isUserUnit ? [] : ['After=network-online.target', 'Wants=network-online.target']),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=simple',
    ...(isUserUnit ? [] : ownerLines(options)),
    `ExecStart=${start}`,
    '# 2: the configuration is wrong, 3: the token was refused, 4: another agent has taken over. Starting again mends none of them.',
    'RestartPreventExitStatus=2 3 4',
    'Restart=always',
    'RestartSec=5',
    ...(systemdVersion >= 254 ? ['RestartSteps=6', 'RestartMaxDelaySec=300'] : []),
    'TimeoutStopSec=15',
    '',
    ...(options.printsItself ? HOST_LINES : GUEST_LINES),
    ...(options.printsItself && !isUserUnit ? FIRST_LINES : []),
    'CPUQuota=100%',
    'MemoryHigh=160M',
    'MemoryMax=256M',
    'TasksMax=64',
    '',
    'NoNewPrivileges=yes',
    'UMask=0077',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'SystemCallArchitectures=native',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    ...(isUserUnit ? [] : sandboxLines(options)),
    '',
    '[Install]',
    `WantedBy=${isUserUnit ? 'default.target' : 'multi-user.target'}`,
  ].join('\n')}\n`
}

function ownerLines({ user, home, groups }: UnitOptions): string[] {
  const more = groups.length === 0 ? [] : [`SupplementaryGroups=${groups.join(' ')}`]
  return [`User=${user}`, ...more, `WorkingDirectory=${escaped(home)}`]
}

/** What only the system's manager may set up: the user's own cannot make file system views on every system. */
function sandboxLines({ writable }: UnitOptions): string[] {
  return [
    'CapabilityBoundingSet=',
    'AmbientCapabilities=',
    'ProtectSystem=strict',
    'ProtectHome=read-only',
    ...(writable.length === 0 ? [] : [`ReadWritePaths=${writable.map((path) => quoted(`-${path}`)).join(' ')}`]),
    'PrivateTmp=yes',
    '# Cameras and serial lines, nothing else.',
    'DevicePolicy=closed',
    ...['video4linux', 'ttyUSB', 'ttyACM', 'ttyAMA', 'ttyS'].map((kind) => `DeviceAllow=char-${kind} rw`),
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelLogs=yes',
    'ProtectControlGroups=yes',
    'RestrictNamespaces=yes',
    'RestrictSUIDSGID=yes',
    'RemoveIPC=yes',
    'SystemCallFilter=@system-service',
    'SystemCallErrorNumber=EPERM',
  ]
}

/** `%` begins a specifier in every setting. */
const escaped = (text: string): string => text.replaceAll('%', '%%')

/** One word of a command line. */
function quoted(word: string): string {
  const plain = escaped(word).replaceAll('$', '$$$$')
  return /^[\w@%+=:,./~$-]+$/.test(plain) ? plain : `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
