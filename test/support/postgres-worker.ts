import { type MessagePort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { parsers } from '../../src/store/db/postgres/statement.ts'
import { DriverError } from '../../src/store/db/postgres/store-error.ts'

export interface Request {
  readonly id: number
  /** Schema of PGlite, database of a server. */
  readonly space: string
  readonly text: string
  /** Null = text of several statements. */
  readonly params: readonly unknown[] | null
  readonly asArrays: boolean
}

export interface Reply {
  readonly id: number
  readonly rows: readonly unknown[]
  readonly error: Pick<DriverError, 'code' | 'message'> | null
}

export interface WorkerData {
  /** Null = PostgreSQL within this thread, of one connection. */
  readonly url: string | null
  readonly port: MessagePort
  /** Raised with each answer. */
  readonly answered: Int32Array
}

/** PostgreSQL for tests in a thread of its own, so that a test can also wait for an answer without a promise. */
const { url, port, answered } = workerData as WorkerData
const ask = url === null ? await ofPglite() : ofServer(url)

let last: Promise<void> = Promise.resolve()
port.on('message', (request: Request) => {
  last = last.then(() => answer(request))
})

async function answer(request: Request): Promise<void> {
  const { id } = request
  let reply: Reply
  try {
    reply = { id, rows: await ask(request), error: null }
  } catch (error) {
    const { code, message } = new DriverError(error)
    reply = { id, rows: [], error: { code, message } }
  }
  port.postMessage(reply)
  Atomics.add(answered, 0, 1)
  Atomics.notify(answered, 0)
}

type Asked = (request: Request) => Promise<readonly unknown[]>

async function ofPglite(): Promise<Asked> {
  const pglite = await PGlite.create()
  let current = ''
  return async ({ space, text, params, asArrays }) => {
    if (space !== current) await pglite.exec(`set search_path to ${space}`)
    current = space
    const options = { rowMode: asArrays ? 'array' : 'object', parsers } as const
    if (params === null) return (await pglite.exec(text, options)).at(-1)?.rows ?? []
    return (await pglite.query<unknown>(text, [...params], options)).rows
  }
}

function ofServer(url: string): Asked {
  const clients = new Map<string, Promise<pg.Client>>()
  const connect = async (space: string) => {
    const connectionString = url.replace(/[^/]*$/, space)
    const client = new pg.Client({
      connectionString,
      types: { getTypeParser: (type: number) => parsers[type] ?? pg.types.getTypeParser(type) },
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return async ({ space, text, params, asArrays }) => {
    const client = await (clients.get(space) ?? clients.set(space, connect(space)).get(space))
    // The server ends the connection; an end of ours might wait for it without end.
    clients.delete(/^drop database (\w+)/.exec(text)?.[1] ?? '')
    const values = params === null ? {} : { values: [...params] }
    const result = await client?.query({ text, ...values, ...(asArrays && { rowMode: 'array' }) } as pg.QueryConfig)
    return [result].flat().at(-1)?.rows ?? []
  }
}
