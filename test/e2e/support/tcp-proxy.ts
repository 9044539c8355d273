import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listening } from '../../support/listening.ts'

/** A port of this process that leads to another one of the loopback, until the way is cut. */
export interface TcpProxy {
  readonly port: number
  /** Connections break, and new ones are refused. */
  refuse(): Promise<void>
  /** Nothing passes any longer; new connections are accepted. */
  silence(): void
  /** Ends both. What was sent into the silence arrives late. */
  open(): Promise<void>
}

export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false

  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (bytes) => to.write(bytes))
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isSilent) from.pause()
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    pass(near, far)
    pass(far, near)
  })
  const port = await listening(server)
  const breakAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  onTestFinished(breakAll)
  return {
    port,
    async refuse() {
      const closed = once(server, 'close')
      server.close()
      breakAll()
      await closed
    },
    silence() {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    async open() {
      isSilent = false
      for (const socket of sockets) socket.resume()
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
