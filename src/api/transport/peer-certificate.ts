import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { readRegularFile } from '../../model/process/regular-file.ts'
import { startDeadline } from './deadline.ts'

export interface PeerOptions {
  /** PEM file with the authorities to trust instead of the system's. */
  readonly caFile: string | null
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * When the certificate of an HTTPS origin expires, in milliseconds since the epoch: one handshake in which nothing is
 * sent. Null where none that is trusted is shown in time; why, an exchange tells better.
 */
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
