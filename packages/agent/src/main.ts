#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { Command, InvalidArgumentError, Option } from 'commander'
import { agentVersion } from './cli/version.js'

const program = new Command('printwarden-agent')
  .description('Reports a 3D printer to a Printwarden server: its state, its pictures, its prints.')
  .version(agentVersion())
  .helpCommand(false)

program
  .command('link')
  .description('make this machine the agent of a printer, by a code that is entered in the dashboard')
  .option('--server <url>', 'the server; else it is looked for in the network, and asked for')
  .addOption(
    new Option('--host <kind>', 'what prints; else it is looked for').choices([
      'octoprint',
      'moonraker',
      'serial',
      'camera',
      'virtual',
    ]),
  )
  .option('--url <url>', 'where OctoPrint or Moonraker is')
  .option('--api-key-file <file>', 'a file with the key of OctoPrint or Moonraker')
  .option('--device <path>', 'the serial device, such as /dev/ttyUSB0')
  .option('--baud <number>', 'the speed of the serial device')
  .option('--camera <url>', 'where the camera gives a picture, or "none"; else the one of the host is taken')
  .option('--name <text>', 'what a new printer is called at first (default: the name of this machine)')
  .option('--printer <section>', 'the [printer …] section to link, such as mk3')
  .option('--config <file>', 'the configuration to write, instead of looking for printwarden-agent.cfg')
  .option('--yes', 'ask nothing')
  .action(async (options) => {
    const { link } = await import('./cli/link.js')
    process.exit(await link(options))
  })

program
  .command('install')
  .description('start the agent with this machine: a systemd unit, and what Moonraker needs; asks first')
  .option('--yes', 'ask nothing')
  .option('--user <name>', 'whose agent it is, when root installs it (default: who called sudo)')
  .option('--config <file>', "the configuration, instead of the user's own")
  .option('--repo <owner/name>', 'where Moonraker finds new releases (default: as the program itself says)')
  .option('--prefix <folder>', 'the root of the system to install into, for making images', '/')
  .action(async (options) => {
    const { install } = await import('./cli/install.js')
    process.exit(await install(options))
  })

program
  .command('uninstall')
  .description('take back what install did; the configuration stays')
  .option('--yes', 'ask nothing')
  .option('--user <name>', 'whose agent it is, when root removes it (default: who called sudo)')
  .option('--prefix <folder>', 'the root of the system it was installed into', '/')
  .action(async (options) => {
    const { uninstall } = await import('./cli/uninstall.js')
    process.exit(await uninstall(options))
  })

program
  .command('run')
  .description('serve the printers of the configuration, in the foreground')
  .option('--config <file>', 'the configuration, instead of looking for printwarden-agent.cfg')
  .action(async (options: { config?: string }) => {
    spareMemory()
    const { run } = await import('./cli/run.js')
    process.exit(await run(options))
  })

program
  .command('doctor')
  .description('test host, cameras, server and clock, and say how to mend what fails')
  .option('--config <file>', 'the configuration, instead of looking for printwarden-agent.cfg')
  .action(async (options: { config?: string }) => {
    const { doctor } = await import('./cli/doctor.js')
    process.exit(await doctor(options))
  })

program
  .command('simulate')
  .description('run made-up printers with generated pictures against a server, for trying and for load')
  .option('--count <n>', 'how many printers (default: one for each token)', positiveInteger)
  .option('--fail', 'let the print of the first printer go wrong', false)
  .option('--server <url>', 'the server', 'http://127.0.0.1:3334')
  .addOption(
    new Option('--auth-token <token>', "a printer's auth_token; once for each printer").default([]).argParser(collect),
  )
  .option('--tokens-file <file>', 'a file with auth tokens, one on a line')
  .option('--duration <seconds>', 'how long one print takes', positiveNumber, 300)
  .option('--interval <seconds>', 'time between pictures while printing', positiveNumber, 2)
  .option('--seed <n>', 'the look of the first printer', positiveInteger)
  .option('--no-pictures', 'printers without cameras, for load')
  .addHelpText('after', '\nTokens are also taken from PRINTWARDEN_AGENT_TOKENS, separated by spaces or commas.')
  .action(async (options) => {
    const { simulate } = await import('./cli/simulate.js')
    process.exit(await simulate(options))
  })

await program.parseAsync()

/**
 * The agent waits most of the time, on a small machine that it shares with the printer's host: it can do without optimised
 * code, and collect its garbage while there is little. This halves what it holds beyond Node itself.
 */
function spareMemory(): void {
  for (const flag of ['--optimize-for-size', '--semi-space-growth-factor=1', '--no-opt']) setFlagsFromString(flag)
}

function collect(token: string, tokens: readonly string[]): string[] {
  return [...tokens, token]
}

function positiveNumber(text: string): number {
  const value = Number(text)
  if (text === '' || !(value > 0) || value > 1_000_000) throw new InvalidArgumentError('it should be a number above 0')
  return value
}

function positiveInteger(text: string): number {
  const value = positiveNumber(text)
  if (!Number.isInteger(value)) throw new InvalidArgumentError('it should be a whole number')
  return value
}
