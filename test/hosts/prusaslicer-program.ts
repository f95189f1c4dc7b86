import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startProgram, until } from '../support/processes.js'

const run = promisify(execFile)

/** What the test needs on the machine: `apt-get install prusa-slicer xvfb xdotool locales`. */
export const PROGRAMS = ['prusa-slicer', 'Xvfb', 'xdotool', 'localedef']

/** Whether all of it is there. */
export async function hasPrusaSlicer(): Promise<boolean> {
  const found = await Promise.all(PROGRAMS.map((name) => run('which', [name]).then(Boolean, () => false)))
  return found.every(Boolean)
}

/** A real PrusaSlicer on a screen that nobody sees, with a sliced model, driven by its keyboard shortcuts. */
export interface PrusaSlicerProgram {
  /** Opens the dialog that sends G-code, and chooses a button in it. */
  send(button: 'upload' | 'upload and print'): Promise<void>
  /** Waits for the dialog that shows an error, and closes it. */
  closeError(): Promise<void>
  output(): string
  stop(): Promise<void>
}

const PRESETS: Readonly<Record<string, string>> = {
  'PrusaSlicer.ini': `version = 2.5.0
version_system_info_sent = 2.5.0
show_splash_screen = 0
show_hints = 0
preset_update = 0
notify_release = none
background_processing = 0
view_mode = simple
downloader_url_registered = 0

[presets]
filament = PLA
physical_printer = Left
print = 0.2 mm
printer = Desktop printer

[filaments]
PLA = 1
`,
  'printer/Desktop printer.ini': `printer_technology = FFF
bed_shape = 0x0,180x0,180x180,0x180
nozzle_diameter = 0.4
thumbnails = 220x124
printer_settings_id = Desktop printer
`,
  'print/0.2 mm.ini': `layer_height = 0.2
output_filename_format = {input_filename_base}.gcode
print_settings_id = 0.2 mm
`,
  'filament/PLA.ini': `filament_type = PLA
temperature = 210
filament_settings_id = PLA
`,
}

/** Starts PrusaSlicer with a printer that is sent to at `address`, and slices `model`. */
export async function startPrusaSlicer(
  workDir: string,
  host: { readonly address: string; readonly apiKey: string },
  model = '/usr/share/PrusaSlicer/shapes/box.stl',
): Promise<PrusaSlicerProgram> {
  const dataDir = join(workDir, 'prusaslicer')
  for (const folder of ['printer', 'print', 'filament', 'physical_printer'])
    await mkdir(join(dataDir, folder), { recursive: true })
  for (const [name, text] of Object.entries(PRESETS)) await writeFile(join(dataDir, name), text)
  await writeFile(
    join(dataDir, 'physical_printer/Left.ini'),
    `host_type = octoprint
preset_name = Desktop printer
preset_names = "Desktop printer"
printer_technology = FFF
printhost_authorization_type = key
print_host = ${host.address}
printhost_apikey = ${host.apiKey}
`,
  )
  // It does not start without a language of its own.
  await run('localedef', ['-i', 'en_US', '-f', 'UTF-8', join(workDir, 'en_US.UTF-8')])

  const screen = startProgram('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x860x24', '-nolisten', 'tcp'])
  const [display = ''] = await screen.waitFor(/^\d+$/m)
  const env = { DISPLAY: `:${display}` }
  const slicer = startProgram('prusa-slicer', ['--datadir', dataDir, model], {
    ...env,
    ...{ LOCPATH: workDir, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LIBGL_ALWAYS_SOFTWARE: '1' },
  })

  const xdotool = async (...args: string[]): Promise<string> =>
    (await run('xdotool', args, { env: { ...process.env, ...env } })).stdout.trim()

  const findWindow = (name: string): Promise<string | undefined> =>
    xdotool('search', '--onlyvisible', '--name', name).then(
      (ids) => ids.split('\n')[0],
      // It ends with an error when there is no such window.
      () => undefined,
    )

  /** Presses keys in a window once it is there. There is no window manager, so nothing else gives it the keyboard. */
  async function press(name: string, ...keys: string[]): Promise<void> {
    const id = await until(`the window "${name}"`, () => findWindow(name), 60_000, 200)
    for (const key of keys) await xdotool('windowfocus', '--sync', id, 'key', '--delay', '100', key)
  }

  const MAIN = '^PrusaSlicer-'
  const SEND = 'Send G-Code'
  const ERROR = 'PrusaSlicer error'

  async function untilGone(name: string): Promise<void> {
    await until(`the window "${name}" to close`, async () => (await findWindow(name)) === undefined, 60_000, 200)
  }

  return {
    async send(button) {
      // The shortcut does nothing until everything is sliced and the dialogs before it are closed.
      await until(
        'the dialog that sends',
        async () => {
          if ((await findWindow(SEND)) !== undefined) return true
          await press(MAIN, 'ctrl+r', 'ctrl+shift+g')
          return false
        },
        120_000,
        1000,
      )
      await press(SEND, ...(button === 'upload' ? ['Return'] : ['Tab', 'Tab', 'space']))
      await untilGone(SEND)
    },
    async closeError() {
      await press(ERROR, 'Return')
      await untilGone(ERROR)
    },
    output: () => slicer.output(),
    async stop() {
      await slicer.kill()
      await screen.stop()
    },
  }
}
