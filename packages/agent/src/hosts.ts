import { z } from 'zod'
import type { HostDeps, PrinterHost } from './host.js'
import { iniBaseUrl, iniBoolean, iniNumber, iniText } from './config/ini-values.js'

const octoPrintConfig = z.strictObject({ host: z.literal('octoprint'), url: iniBaseUrl, api_key: iniText })
export type OctoPrintConfig = z.infer<typeof octoPrintConfig>

const moonrakerConfig = z.strictObject({
  host: z.literal('moonraker'),
  url: iniBaseUrl,
  /** Not needed where Moonraker trusts this machine. */
  api_key: iniText.optional(),
})
export type MoonrakerConfig = z.infer<typeof moonrakerConfig>

const virtualConfig = z.strictObject({
  host: z.literal('virtual'),
  /** Seconds that one print takes. */
  duration: iniNumber({ min: 1, max: 1_000_000 }).default(600),
  /** Seconds for heating up, before the first layer. */
  heating: iniNumber({ min: 0, max: 3_600 }).default(10),
  /** The part of the print at which it begins to go wrong; without it, it goes well. */
  fail_at: iniNumber({ min: 0, max: 1 }).optional(),
  /** Seconds between the end of a print and the start of the next one; without `repeat` only one is printed. */
  rest: iniNumber({ min: 0, max: 1_000_000 }).default(30),
  repeat: iniBoolean.default(false),
  /** Whether a print starts by itself when the agent starts. */
  autostart: iniBoolean.default(true),
  /** Chooses the part, the printer and the room in generated pictures. */
  seed: iniNumber({ min: 0, max: 4_294_967_295, whole: true }).default(1),
})
export type VirtualConfig = z.infer<typeof virtualConfig>

const serialConfig = z.strictObject({
  host: z.literal('serial'),
  device: z
    .string()
    .regex(
      /^(\/[\w.:+@-]+)+$/,
      'should be the path of a serial device, such as /dev/ttyUSB0 or one of /dev/serial/by-id',
    ),
  baud: iniNumber({ min: 1_200, max: 4_000_000, whole: true }).default(115_200),
  /** `agent`: the agent sends the printer what to print. `printer`: it prints from its own card, and the agent watches. */
  prints_from: z.enum(['agent', 'printer'], { error: 'should be agent or printer' }).default('agent'),
})
export type SerialConfig = z.infer<typeof serialConfig>

const cameraHostConfig = z.strictObject({
  host: z.literal('camera'),
  /** Whether motion in the picture starts a print, and its end ends it. Without it the dashboard's button does. */
  motion: iniBoolean.default(false),
  /** Minutes of motion after which a print has begun. */
  motion_minutes: iniNumber({ min: 0.1, max: 240 }).default(3),
  /** Minutes without motion after which it has ended. */
  quiet_minutes: iniNumber({ min: 0.1, max: 1_440 }).default(15),
})
export type CameraHostConfig = z.infer<typeof cameraHostConfig>

/** The settings of each kind of host, told apart by `host:`. */
export const hostConfig = z.discriminatedUnion(
  'host',
  [octoPrintConfig, moonrakerConfig, serialConfig, cameraHostConfig, virtualConfig],
  {
    error: `should be one of octoprint, moonraker, serial, camera, virtual`,
  },
)
export type HostConfig = z.infer<typeof hostConfig>

/** Opens the host of a printer. Its code is loaded only now, since an agent seldom needs more than one kind. */
export async function openHost(config: HostConfig, deps: HostDeps): Promise<PrinterHost> {
  switch (config.host) {
    case 'octoprint': {
      const { openOctoPrintHost } = await import('./hosts/octoprint/host.js')
      return openOctoPrintHost(config, deps)
    }
    case 'moonraker': {
      const { openMoonrakerHost } = await import('./hosts/moonraker/host.js')
      return openMoonrakerHost(config, deps)
    }
    case 'serial': {
      const { openSerialHost } = await import('./hosts/serial/host.js')
      return openSerialHost(config, deps)
    }
    case 'camera': {
      const { openCameraHost } = await import('./hosts/camera/host.js')
      return openCameraHost(config, deps)
    }
    case 'virtual': {
      const { openVirtualHost } = await import('./hosts/virtual/host.js')
      return openVirtualHost(config, deps)
    }
  }
}
