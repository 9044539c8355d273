import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The open sockets of a server. */
export interface Connections {
  /** Cuts all of them, also those that have not shaken hands for TLS yet, which the server itself would wait for. */
  cut(): void
}

export interface ConnectionLimits {
  readonly inAll: number
  /** Of one address, so that none of them takes all. */
  readonly ofPeer: number
  /** After which an answer that is not there yet may be given up for a new connection. */
  readonly busyTimeoutMs: number
  /** Sockets whose reader is awaited, the one awaited longest first. */
  readonly awaited: Iterable<Socket>
}

/**
 * Bounds the number of open sockets, in all and of each address. At a limit the oldest socket without a request in flight
 * gives way to a new one: peers that connect and say nothing must not lock out one that asks. While all are at work, the
 * one gives way whose reader is awaited longest, for peers that do not read must not either, then one whose answer has
 * taken longer than `busyTimeoutMs`; else the new one is refused.
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

/** The same for a TLS socket, which requests come on, and for the plain one below it. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
