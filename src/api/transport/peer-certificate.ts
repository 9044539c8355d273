import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { readRegularFile } from '../../model/process/regular-file.ts'
import { startDeadline } from '../deadline.ts'

export interface PeerOptions {
  readonly caFile: string | null
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Expiry of an origin's certificate in milliseconds since the epoch; null if none is trusted in time. */
export async function certificateExpiry(
  origin: string,
  { caFile, timeoutMs, signal }: PeerOptions,
): Promise<number | null> {
  const { hostname, port, protocol } = new URL(origin)
  if (protocol !== 'https:') return null
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  using deadline = startDeadline(timeoutMs, signal)
  try {
    const ca = caFile === null ? undefined : (await readRegularFile(caFile)).toString()
    return await new Promise<number | null>((resolve) => {
      const socket = connect({
        host,
        port: port === '' ? 443 : Number(port),
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca !== undefined && { ca }),
      })
      const end = (at: number | null) => {
        socket.destroy()
        resolve(at)
      }
      const give = () => end(null)
      socket.once('secureConnect', () => end(Date.parse(socket.getPeerCertificate().valid_to) || null))
      socket.once('error', give)
      socket.once('close', give)
      if (deadline.signal.aborted) give()
      else deadline.signal.addEventListener('abort', give, { once: true })
    })
  } catch {
    return null
  }
}
