import { WebSocketServer } from 'ws'

// The floor that the server is compared with: takes the same frames and does nothing but parse them. Answers a message that
// asks for an acknowledgement, so that the load generator waits in the same way.
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString())
    const id = eventIdOf(message)
    if (id !== undefined) socket.send(JSON.stringify({ ack: { events: [id] } }))
  })
})
server.on('listening', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') console.log(`listening url=http://127.0.0.1:${address.port}`)
})

function eventIdOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('event' in message)) return undefined
  const { event } = message
  return typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
}
