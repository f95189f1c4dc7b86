import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort, type Program, ROOT, startAgentCommand, startProgram, temporaryFolder } from '../support/processes.js'

// Cameras that are other programs: a real RTSP server, asked through ffmpeg, and fswebcam with its own test picture. The agent's
// doctor takes one picture of each, as the agent would.

/** Debian's Python, which has GStreamer; another one may come first in the path. */
const PYTHON = '/usr/bin/python3'
const hasRtspServer = spawnSync(PYTHON, ['-c', 'import gi; gi.require_version("GstRtspServer", "1.0")']).status === 0

let folder: { path: string; remove: () => Promise<void> }
let server: Program | undefined

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterEach(() => server?.stop())
afterAll(() => folder.remove())

/** What the doctor says of a camera with these lines in its section. */
async function doctorSays(lines: readonly string[]): Promise<string> {
  const config = join(folder.path, 'printwarden-agent.cfg')
  const head =
    '[server]\nurl: http://127.0.0.1:9\n\n[printer one]\nauth_token: 0123456789012345678901234567890123456789\n'
  await writeFile(config, `${head}host: virtual\n\n[camera one]\n${lines.join('\n')}\n`)
  const doctor = startAgentCommand(['doctor', '--config', config])
  await doctor.ended
  return doctor.output()
}

async function startRtsp(...login: string[]): Promise<number> {
  const port = await freePort()
  server = startProgram(PYTHON, [join(ROOT, 'test/hosts/rtsp-camera.py'), String(port), ...login])
  await server.waitFor(/READY/)
  return port
}

const A_PICTURE = /camera one camera.*picture of 640 × 360/

test.skipIf(!hasRtspServer)('an RTSP camera', async () => {
  const port = await startRtsp()
  expect(await doctorSays([`stream_url: rtsp://127.0.0.1:${port}/cam`])).toMatch(A_PICTURE)
})

test.skipIf(!hasRtspServer).each(['basic', 'digest'])('an RTSP camera that wants a %s login', async (scheme) => {
  const port = await startRtsp(scheme, 'anna', 'sec:ret')
  const url = `stream_url: rtsp://127.0.0.1:${port}/cam`
  expect(await doctorSays([url, 'user: anna', 'password: sec:ret'])).toMatch(A_PICTURE)
  const refused = await doctorSays([url, 'user: anna', 'password: wrong-one'])
  expect(refused).toMatch(/camera one camera.*gives no picture/)
  expect(refused).not.toContain('wrong-one')
})

test('fswebcam gives its test picture', async () => {
  expect(await doctorSays(['device: TEST', 'resolution: 640x360'])).toMatch(A_PICTURE)
})
