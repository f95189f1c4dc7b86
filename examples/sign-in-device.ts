// Signs in without a browser of its own: it shows a code, which you enter on any other device. Next time it is still signed in.
//
//   PRINTWARDEN_URL=http://127.0.0.1:3334 PRINTWARDEN_CLIENT_ID=… npx tsx --conditions=x-source examples/sign-in-device.ts
//
// The client ID is that of a public app: see docs/oauth.md. With `--sign-out` it signs out.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import { createOAuth } from '@printwarden/sdk/oauth'
import { fileStorage } from './file-storage.js'

const baseUrl = process.env['PRINTWARDEN_URL'] ?? 'http://127.0.0.1:3334'
const clientId = process.env['PRINTWARDEN_CLIENT_ID']
if (clientId === undefined) {
  console.error('PRINTWARDEN_CLIENT_ID is not set. Register a public app under /developer/apps/ of your server.')
  process.exit(2)
}

const file = process.env['PRINTWARDEN_TOKEN_FILE'] ?? join(homedir(), '.config/printwarden-example/tokens.json')
const oauth = createOAuth({ baseUrl, clientId, storage: fileStorage(file) })

try {
  if (process.argv.includes('--sign-out')) {
    await oauth.signOut()
    console.log('signed out')
  } else {
    if ((await oauth.tokens()) === undefined) {
      await oauth.deviceSignIn({
        scope: 'read',
        onCode: ({ user_code, verification_uri }) => console.log(`Open ${verification_uri} and enter ${user_code}`),
      })
    }
    const client = createClient({ baseUrl, token: oauth })
    console.log(`signed in as ${(await client.getMe()).email}`)
    for (const { name, status } of await client.listPrinters())
      console.log(`${name}: ${status?.state.text ?? 'offline'}`)
  }
} catch (error) {
  console.error(String(error))
  process.exitCode = 1
}
