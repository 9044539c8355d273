import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Lets a server listen on a free port of the loopback until the test ends, with every connection; gives the port. */
export async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
