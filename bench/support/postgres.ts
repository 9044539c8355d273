import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

const variable = 'TEST_POSTGRES_URL'

interface PostgresDatabase extends AsyncDisposable {
  readonly url: URL
}

/**
 * A new database of the server; dropped in the end.
 *
 * @throws Error that says how to have a server.
 */
export async function newDatabase(name: string): Promise<PostgresDatabase> {
  const address = process.env[variable]
  if (address === undefined) throw new Error(`${variable} is not set: use .ci/with-postgres npm run bench -- …`)
  const admin = new pg.Client({ connectionString: address })
  await admin.connect()
  await admin.query(`drop database if exists "${name}" with (force)`)
  await admin.query(`create database "${name}"`)
  const url = new URL(address)
  url.pathname = `/${name}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      await admin.query(`drop database "${name}" with (force)`)
      await admin.end()
    },
  }
}

/** The database behind a proxy that passes everything on `delayMs` later, in both directions. */
export async function withDelay(database: PostgresDatabase, delayMs: number): Promise<PostgresDatabase> {
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.setNoDelay().on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs))
    from.on('close', () => setTimeout(() => to.end(), delayMs)).on('error', () => to.destroy())
  }
  const proxy = createServer((near) => {
    const far = connect(Number(database.url.port), database.url.hostname)
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(database.url)
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
