import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Bytes on their way before the sender waits: enough to keep the server busy, little enough to stay bounded. */
const MAX_BUFFERED = 256 * 1024

/** A full status message of a running print, about two kilobytes: what a real OctoPrint makes of it. */
export function statusText(sequence: number, event?: { event_type: string; id: string }): string {
  const area = { maxX: 180.2, maxY: 150.1, maxZ: 60.4, minX: 20.1, minY: 18.3, minZ: 0.2 }
  return JSON.stringify({
    current_print_ts: 1_795_251_637,
    seq: sequence,
    ...(event === undefined ? {} : { event: { ...event, age_ms: 0 } }),
    status: {
      _ts: Date.now() / 1000,
      state: {
        text: 'Printing',
        error: '',
        flags: {
          operational: true,
          printing: true,
          cancelling: false,
          pausing: false,
          resuming: false,
          finishing: false,
          closedOrError: false,
          error: false,
          paused: false,
          ready: false,
          sdReady: true,
        },
      },
      currentZ: 12.4,
      job: {
        file: {
          name: 'bracket_v12_0.2mm_PETG_4h12m.gcode',
          path: 'brackets/bracket_v12_0.2mm_PETG_4h12m.gcode',
          display: 'bracket_v12_0.2mm_PETG_4h12m.gcode',
          origin: 'local',
          size: 8_123_456,
          date: 1_795_251_000,
        },
        estimatedPrintTime: 15_120.4,
        averagePrintTime: 15_300.1,
        lastPrintTime: 15_298,
        filament: { tool0: { length: 12_345.6, volume: 29.7 } },
        user: 'workshop',
      },
      progress: {
        completion: (sequence % 10_000) / 100,
        filepos: sequence * 100,
        printTime: sequence,
        printTimeLeft: 15_000 - (sequence % 15_000),
        printTimeLeftOrigin: 'analysis',
      },
      temperatures: {
        tool0: { actual: 239.8 + (sequence % 5) / 10, target: 240, offset: 0 },
        bed: { actual: 79.9, target: 80, offset: 0 },
        chamber: { actual: null, target: null, offset: 0 },
      },
      offsets: { tool0: 0, bed: 0 },
      resends: { count: 0, transmitted: 123_456, ratio: 0 },
      file_metadata: {
        hash: 'd41d8cd98f00b204e9800998ecf8427e00000000',
        service: { totalLayerCount: 212 },
        analysis: {
          printingArea: area,
          travelArea: area,
          dimensions: { depth: 131.8, height: 60.2, width: 160.1 },
          travelDimensions: { depth: 131.8, height: 60.2, width: 160.1 },
          estimatedPrintTime: 15_120.4,
          filament: { tool0: { length: 12_345.6, volume: 29.7 } },
        },
        history: [
          { timestamp: 1_795_100_000, printTime: 15_298, success: true, printerProfile: '_default' },
          { timestamp: 1_795_000_000, printTime: 15_301, success: true, printerProfile: '_default' },
        ],
        statistics: { averagePrintTime: { _default: 15_300.1 }, lastPrintTime: { _default: 15_298 } },
      },
    },
  })
}

/** Sends `perConnection` messages over each connection as fast as the server takes them; resolves when all are applied. */
export async function sendStatus(
  connections: readonly WebSocket[],
  perConnection: number,
): Promise<{ messages: number; seconds: number }> {
  const started = performance.now()
  await Promise.all(connections.map((socket) => sendOver(socket, perConnection)))
  const seconds = (performance.now() - started) / 1000
  return { messages: connections.length * perConnection, seconds }
}

async function sendOver(socket: WebSocket, count: number): Promise<void> {
  for (let sequence = 1; sequence < count; sequence += 1) {
    socket.send(statusText(sequence))
    while (socket.bufferedAmount > MAX_BUFFERED) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  // Messages of one socket are applied in order, so the acknowledgement of the last one's event says that all are.
  const id = randomUUID()
  const acknowledged = acknowledgementOf(socket, id)
  socket.send(statusText(count, { event_type: 'PrintResumed', id }))
  await acknowledged
}

function acknowledgementOf(socket: WebSocket, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (data: Buffer): void => {
      if (!data.toString().includes(id)) return
      socket.off('message', onMessage)
      resolve()
    }
    socket.on('message', onMessage)
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
  })
}

/** One connection for each token, as agents make them. */
export async function connectAgents(url: string, tokens: readonly string[]): Promise<WebSocket[]> {
  const sockets: WebSocket[] = []
  for (const token of tokens) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/agent/`, 'agent.v1', {
      headers: { Authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    })
    await once(socket, 'open')
    sockets.push(socket)
  }
  return sockets
}
