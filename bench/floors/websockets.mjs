import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

// The floor of everything that goes over websockets: the same library takes the same frames and does nothing but parse them. Agents are
// at /ws/agent/, dashboards at /ws/live/ are handed every status as it is, and POST /order/N/ hands agent N a command. JavaScript, run
// by plain Node, so that its memory is its own.

const agents = []
const dashboards = new Set()
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const http = createServer((request, response) => {
  const index = Number(/^\/order\/(\d+)\/$/.exec(request.url)?.[1])
  request.resume()
  request.on('end', () => {
    const agent = agents.at(index % Math.max(agents.length, 1))
    agent?.send(JSON.stringify({ commands: [{ id: String(index), cmd: 'pause' }] }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ succeeded: agent !== undefined }))
  })
})
http.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (opened) => {
    if (request.url.startsWith('/ws/live/')) return look(opened)
    agents.push(opened)
    opened.on('close', () => agents.splice(agents.indexOf(opened), 1))
    opened.on('message', (/** @type {Buffer} */ data) => hear(opened, JSON.parse(data.toString())))
    opened.send('{"remote_status":{"viewing":false}}')
  })
})

function look(dashboard) {
  dashboards.add(dashboard)
  dashboard.on('close', () => dashboards.delete(dashboard))
}

/** What asks for an answer gets one, so that the load generator waits in the same way. */
function hear(agent, message) {
  if (message.event?.id !== undefined) agent.send(JSON.stringify({ ack: { events: [message.event.id] } }))
  if (message.ack?.id !== undefined) agent.send('{"error":{"code":"unknown"}}')
  if (message.status === undefined || dashboards.size === 0) return
  const text = JSON.stringify({ printer: { changes: { status: message.status } } })
  for (const dashboard of dashboards) dashboard.send(text)
}

http.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  console.log(JSON.stringify({ ready: { url: `http://127.0.0.1:${http.address().port}` } }))
})
process.on('SIGTERM', () => process.exit(0))
