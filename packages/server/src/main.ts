#!/usr/bin/env node
import { Command } from 'commander'
import { addCommands } from './cli/commands.js'
import { VERSION } from './version.js'

const program = new Command('printwarden-server')
  .description('Watches 3D printers. Without a command it runs the server.')
  .version(VERSION)
  .option('--env-file <file>', 'read settings from this file instead of .env')
  .showHelpAfterError('(printwarden-server --help shows the commands)')

program
  .command('serve', { isDefault: true })
  .description('run the server (the default)')
  .action(async () => {
    // The server's modules take a while to load; the administration commands need none of them.
    const { serve } = await import('./serve.js')
    await serve(program.opts<{ envFile?: string }>().envFile)
  })
addCommands(program)

await program.parseAsync()
