import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open sockets of a server. */
export interface Connections {
  /** Cuts all of them, also those that have not shaken hands for TLS yet, which the server itself would wait for. */
  cut(): void
}

/**
 * Bounds the number of open sockets. At the limit the oldest socket without a request in flight gives way to a new one:
 * peers that connect and say nothing must not lock out one that asks. While all are at work, one whose answer has taken
 * longer than `patienceMs` gives way, for peers that hardly read must not either; else the new one is refused.
 */
export function limitConnections(server: Server, most: number, patienceMs: number): Connections {
  const open = new Map<string, Socket>()
  const working = new Map<string, number>()
  const late = new Set<string>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    open.set(peer, socket)
    socket.once('close', () => open.delete(peer))
    if (open.size <= most) return
    const idle = [...open.keys()].find((one) => !working.has(one) && one !== peer)
    const [longest] = late
    const leaving = idle ?? longest ?? peer
    const last = open.get(leaving)
    open.delete(leaving)
    late.delete(leaving)
    last?.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response) => {
    const peer = peerOf(socket)
    working.set(peer, (working.get(peer) ?? 0) + 1)
    const patience = setTimeout(() => open.has(peer) && late.add(peer), patienceMs).unref()
    response.once('close', () => {
      clearTimeout(patience)
      const left = (working.get(peer) ?? 1) - 1
      if (left > 0) working.set(peer, left)
      else {
        working.delete(peer)
        late.delete(peer)
      }
    })
  })
  return {
    cut() {
      for (const socket of open.values()) socket.destroy()
    },
  }
}

/** The same for a TLS socket, which requests come on, and for the plain one below it. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
