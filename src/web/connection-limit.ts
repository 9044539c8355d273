import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  /** Destroys all connections, also those in the TLS handshake, for which `server.close` would wait. */
  cut(): void
}

export interface ConnectionLimits {
  readonly inAll: number
  /** Limit per address, so that one client cannot take all connections. */
  readonly ofPeer: number
  /** Milliseconds after which an unfinished answer may be given up for a new connection. */
  readonly busyTimeoutMs: number
  readonly awaited: Iterable<Socket>
}

/**
 * Bounds the number of open sockets, in total and per address, so that idle or slow clients cannot lock out others. At a
 * limit one socket is closed, in this order: the oldest without a request in flight, the one that has waited longest for
 * its client to read, one whose answer has taken longer than `busyTimeoutMs`, the new one.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  const open = new Map<string, Socket>()
  const working = new Map<string, number>()
  const late = new Set<string>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    open.set(peer, socket)
    socket.once('close', () => open.delete(peer))
    const ofPeer = [...open].filter(([, one]) => one.remoteAddress === socket.remoteAddress).map(([key]) => key)
    if (open.size <= limits.inAll && ofPeer.length <= limits.ofPeer) return
    const among = new Set(ofPeer.length > limits.ofPeer ? ofPeer : open.keys())
    const leaving =
      first(among, (one) => !working.has(one) && one !== peer) ??
      first([...limits.awaited].map(peerOf), (one) => among.has(one)) ??
      first(late, (one) => among.has(one)) ??
      peer
    const last = open.get(leaving)
    open.delete(leaving)
    late.delete(leaving)
    last?.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response) => {
    const peer = peerOf(socket)
    working.set(peer, (working.get(peer) ?? 0) + 1)
    const busyTimeout = setTimeout(() => open.has(peer) && late.add(peer), limits.busyTimeoutMs).unref()
    response.once('close', () => {
      clearTimeout(busyTimeout)
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

function first(keys: Iterable<string>, isIt: (key: string) => boolean): string | undefined {
  for (const key of keys) if (isIt(key)) return key
  return undefined
}

/** A key that is equal for a TLS socket, on which requests arrive, and the plain socket below it. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
