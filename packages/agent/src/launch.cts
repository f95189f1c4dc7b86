#!/usr/bin/env node
// Starts the agent, or says what is missing. In words that every Node understands, back to those of old images: the program itself
// is read only when this Node can read it.
'use strict'

var parts = process.versions.node.split('.')
var major = Number(parts[0])
var minor = Number(parts[1])

if (major > 20 || (major === 20 && minor >= 19)) {
  import('./main.js').catch(function (error: unknown) {
    console.error(error)
    process.exitCode = 1
  })
} else {
  console.error('printwarden-agent: Node ' + process.versions.node + ' is too old: it must be 20.19 or newer.')
  if (process.arch === 'arm' || process.arch === 'ia32') {
    console.error('This is a 32-bit system, which the agent does not support: install the 64-bit image of your system,')
    console.error(
      'which a Raspberry Pi 3, 4, 5 or Zero 2 can run, or run the agent on another computer in the network.',
    )
  } else {
    console.error(
      'Install Node 22 beside it, in your own folder; nothing else on this machine changes. The lines to copy are in',
    )
    console.error('docs/install-agent.md, under "A recent Node on an older image".')
  }
  process.exitCode = 1
}
