import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly server: Server
  readonly url: string
}

/** Listens on a host and port (0 = a free one); rejects when the port is taken. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  // No time-outs: faults may delay answers, and closing idle connections would cause races.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: bound } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return { server, url: `http://${shown}:${bound}` }
}

export function stopListening({ server }: Listening): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
