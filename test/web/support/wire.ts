import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends these bytes and gives all that comes back until the server ends the connection. */
export async function roundTrip(port: number, text: string): Promise<string> {
  const socket = await open(port)
  let all = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    all += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return all
}

/** The answer to a request; errors of its connection after that are nobody's concern. */
export async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  sent.on('error', () => {}).end()
  const [answer] = await once(sent, 'response')
  return answer
}

/** A connected socket whose errors are nobody's concern. */
export async function open(port: number, more: Partial<NetConnectOpts> = {}): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', ...more })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The first answer of what came over the wire; null where nothing came. */
export function answerOf(text: string): Answer | null {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]
  if (status === undefined) return null
  const headers = fields.map((field) => {
    const at = field.indexOf(':')
    return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()] as const
  })
  return { status: Number(status), headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') }
}
