import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is to be done when a connection goes. One listener for all of it, however many requests were sent over it side by side. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/** Also when the client hung up while it was looked up who it is: then the event has been and gone. */
export function whenClosed(socket: Socket, act: () => void): void {
  if (socket.destroyed) act()
  else socket.once('close', act)
}

/**
 * When an answer has ended, or the connection went before. Of answers that wait on a connection behind others Node says nothing when it goes,
 * so that it has to be asked itself.
 *
 * @param act safe to be called twice
 */
export function whenAnswered(request: FastifyRequest, { raw }: FastifyReply, act: () => void): void {
  const { socket } = request.raw
  if (socket.destroyed || raw.destroyed) return act()
  let acts = waiting.get(socket)
  if (acts === undefined) {
    const all = new Set<() => void>()
    waiting.set(socket, all)
    socket.once('close', () => {
      for (const one of all) one()
      all.clear()
    })
    acts = all
  }
  acts.add(act)
  raw.once('close', () => {
    acts.delete(act)
    act()
  })
}
