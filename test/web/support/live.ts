import { writeFileSync } from 'node:fs'
import { type RequestOptions, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { isProtected } from '../../../src/config/web-settings.ts'
import { type Log, silentLog } from '../../../src/model/log.ts'
import { WebConfig } from '../../../src/web/web-config.ts'
import { type Certificate, selfSigned } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { startServer } from './server.ts'
import { responseTo } from './wire.ts'

/** The hash of "wonder" and of "build". */
export const hashes = {
  wonder: '$2b$04$C94XCeEJ/IXMVPqS5a488Opg1B9P5Shl3sVk111V/tcvJDvbt56b.',
  build: '$2b$04$LajiOs6uHF/4vok58izwjeCR5lc0qIWFdgNmMqxB191/MlXE2UhAG',
}

export interface Answer {
  readonly status: number | undefined
  readonly headers: Record<string, unknown>
  readonly text: string
  /** Fingerprint of the server's certificate; undefined over plain HTTP. */
  readonly fingerprint: string | undefined
  readonly resumed: boolean
}

export interface Logged {
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly fields: object
}

/** A web server by a configuration file that a reload reads again; `server` begins the TLS section with its certificate. */
export async function startLive(first: string, host = '127.0.0.1', clients = '') {
  const folder = temporaryFolder()
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  const show = ({ cert, key }: Certificate) => {
    write('server.crt', cert)
    write('server.key', key)
  }
  const own = selfSigned('127.0.0.1')
  show(own)
  write('web.yaml', first)
  write('clients.pem', clients)
  const logged: Logged[] = []
  const note = (level: Logged['level']) => (fields: object, message: string) =>
    void logged.push({ level, fields, message })
  const log: Log = { ...silentLog(), info: note('info'), warn: note('warn') }
  const live = new WebConfig('web.yaml', { cwd: folder, host, log })
  const server = await startServer({
    listen: { host, port: 0 },
    access: () => ({
      ...live.settings,
      exposeDetails: false,
      isProtected: isProtected(live.settings),
      allowedHosts: [],
    }),
  })
  return {
    ...server,
    folder,
    own,
    live,
    logged,
    write,
    /** Writes the file and reloads. */
    change(content: string) {
      write('web.yaml', content)
      live.use(live.read('web.yaml'))
    },
    show,
    get: (path: string, over: ClientOptions = {}) => ask(server.port, live.settings.tls !== null, path, over),
  }
}

export interface ClientOptions extends RequestOptions {
  readonly cert?: string
  readonly key?: string
  readonly session?: Buffer
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly onSession?: (session: Buffer) => void
}

/** One request on a connection of its own, which trusts whatever certificate it is shown. */
async function ask(
  port: number,
  secure: boolean,
  path: string,
  { onSession, ...over }: ClientOptions,
): Promise<Answer> {
  const options = { host: '127.0.0.1', port, path, agent: false as const, rejectUnauthorized: false, ...over }
  const sent = (secure ? requestSecure : requestPlain)(options)
  sent.on('socket', (socket) => socket.on('session', (session: Buffer) => onSession?.(session)))
  const answer = await responseTo(sent)
  const socket = answer.socket as Partial<TLSSocket>
  const fingerprint = socket.getPeerCertificate?.().fingerprint256
  const resumed = socket.isSessionReused?.() ?? false
  const { statusCode: status, headers } = answer
  return { status, headers, text: await text(answer), fingerprint, resumed }
}

export const basic = (name: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
})
