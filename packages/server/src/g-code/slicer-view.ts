import type { PrinterStatus, SlicerJob, SlicerPrinter, SlicerUpload, SlicerVersion } from '@printwarden/protocol'
import { Temperature } from '@printwarden/protocol'
import type { PrinterRow } from '../printers/store.js'

// Printers and files in OctoPrint's shapes, as slicers know them.

/** The version of OctoPrint's interface that is spoken here. Slicers ask for 1.1.0 or newer. */
const OCTOPRINT_VERSION = '1.11.0'

export function slicerVersionView(version: string): SlicerVersion {
  // Slicers refuse a server whose text begins with anything else.
  return { api: '0.1', server: OCTOPRINT_VERSION, text: `OctoPrint (Printwarden ${version})` }
}

/** The state of a printer that is not offline. */
export function slicerPrinterView({ state, temperatures }: PrinterStatus): SlicerPrinter {
  const { text, flags } = state
  const heaters = Object.entries(temperatures ?? {}).flatMap(([name, value]) => {
    const heater = Temperature.safeParse(value).data
    return heater === undefined
      ? []
      : [[name, { actual: heater.actual ?? null, target: heater.target ?? null }] as const]
  })
  return {
    state: {
      text,
      flags: {
        operational: flags.operational,
        printing: flags.printing,
        cancelling: flags.cancelling,
        pausing: flags.pausing,
        resuming: flags.resuming,
        finishing: flags.finishing,
        paused: flags.paused,
        closedOrError: flags.closedOrError ?? false,
        error: flags.error ?? false,
        ready: flags.ready ?? text === 'Operational',
        sdReady: false,
      },
    },
    temperature: Object.fromEntries(heaters),
  }
}

/** What the printer prints; null when it is offline or not known which is meant. */
export function slicerJobView(status: PrinterStatus | null): SlicerJob {
  const { completion = null, printTime = null, printTimeLeft = null } = status?.progress ?? {}
  return {
    state: status?.state.text ?? 'Offline',
    job: { file: { name: status?.job?.file.name ?? null } },
    progress: { completion, printTime, printTimeLeft },
  }
}

export function slicerProfilesView(printer: PrinterRow | undefined) {
  const profile = { id: '_default', name: printer?.name ?? 'Printwarden', model: '', current: true }
  return { profiles: { _default: profile } }
}

/** The answer to an upload: `path` is the folder that the slicer named. */
export function slicerUploadView(
  { filename, path, resource, download }: { filename: string; path: string; resource: string; download: string },
  isPrinted: boolean,
): SlicerUpload {
  return {
    done: true,
    files: {
      local: {
        name: filename,
        path: path === '' ? filename : `${path}/${filename}`,
        origin: 'local',
        refs: { resource, download },
      },
    },
    effectiveSelect: isPrinted,
    effectivePrint: isPrinted,
  }
}
