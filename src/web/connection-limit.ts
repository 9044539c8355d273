import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open sockets of a server. */
export interface Connections {
  /** Cuts all of them, also those that have not shaken hands for TLS yet, which the server itself would wait for. */
  cut(): void
}

/**
 * Bounds the number of open sockets. At the limit the oldest socket without a request in flight gives way to a new one:
 * peers that connect and say nothing must not lock out one that asks. While all are at work the new one is refused.
 */
export function limitConnections(server: Server, most: number): Connections {
  const open = new Map<string, Socket>()
  const working = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    open.set(peer, socket)
    socket.once('close', () => open.delete(peer))
    if (open.size <= most) return
    const idle = [...open.keys()].find((one) => !working.has(one) && one !== peer)
    const last = open.get(idle ?? peer)
    open.delete(idle ?? peer)
    last?.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response) => {
    const peer = peerOf(socket)
    working.set(peer, (working.get(peer) ?? 0) + 1)
    response.once('close', () => {
      const left = (working.get(peer) ?? 1) - 1
      if (left > 0) working.set(peer, left)
      else working.delete(peer)
    })
  })
  return {
    cut() {
      for (const socket of open.values()) socket.destroy()
    },
  }
}

/** The same for a TLS socket, which requests come on, and for the plain one below it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
