import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { SyncError } from '../../../../src/model/errors.ts'
import { openPostgres } from '../../../../src/store/db/postgres/open.ts'
import { DriverError, storeError } from '../../../../src/store/db/postgres/store-error.ts'
import { listening } from '../../../support/listening.ts'

const secret = 'hunter2-hunter2'
const clock = { sleep: () => new Promise<void>(() => {}) }

/** Answers each connection by `answer`, after it said no to TLS. */
async function fakeServer(answer: (socket: Socket, data: Buffer) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      const isTlsRequest = data.length === 8 && data.readInt32BE(4) === 80877103
      if (isTlsRequest) socket.write('N')
      else answer(socket, data)
    })
  })
  return listening(server)
}

const fatal = (code: string, text: string) => message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`))

function refuse(code: string, message: string) {
  return (socket: Socket) => void socket.end(fatal(code, message))
}

/** Message of the error at the start. Nothing of it, shown in any way, has the password. */
async function refusal(port: number, parameters = ''): Promise<string> {
  const url = () => Promise.resolve(`postgres://tenantwatch:${secret}@127.0.0.1:${port}/mirror${parameters}`)
  const error = await openPostgres({ url, role: 'engine', clock, random: () => 0 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'FatalError' })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  return (error as Error).message.replace(`:${port}`, ':PORT')
}

it.each([
  ['28P01', /user or its password/],
  ['28000', /pg_hba/],
  ['3D000', /createdb/],
  ['57P03', /cannot be reached/],
  ['42501', /permission/],
  ['XX000', /its log/],
])('names what is wrong with a server that answers %s, and what to do', async (code, advice) => {
  const said = await refusal(await fakeServer(refuse(code, 'the server says')))
  expect(said).toContain(`The database "mirror" at 127.0.0.1:PORT cannot be used: `)
  expect(said).toContain(`(${code}); `)
  expect(said).toMatch(advice)
})

it('names a server that is away, one that hangs up, and one without TLS', async () => {
  const server = createServer()
  const port = await listening(server)
  server.close()
  expect(await refusal(port)).toContain('cannot be reached (ECONNREFUSED); ')
  expect(await refusal(await fakeServer((socket) => socket.destroy()))).toContain('cannot be reached; ')
  expect(await refusal(await fakeServer(() => {}), '?sslmode=require')).toContain(
    'no TLS connection to the database server was agreed on; ',
  )
})

const atWork = (code: string, message = 'm') => storeError(new DriverError({ code, message, detail: 'Key (ada@x)' }))

/** Message of the protocol of PostgreSQL. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

it('survives a server that ends a connection together with its first answer', async () => {
  const greeting = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])
  const port = await fakeServer((socket) => socket.end(Buffer.concat([greeting, fatal('57P01', 'ended by hand')])))
  expect(await refusal(port)).toMatch(
    /^The database "mirror" at 127.0.0.1:PORT cannot be used: the database server cannot be reached/,
  )
})

it.each([
  ['ECONNRESET', /store\.url/],
  ['53100', /Free space/],
  ['25006', /primary server/],
  ['42501', /owner/],
  ['57014', /load/],
  ['40001', /Nothing was lost/],
  ['XX001', /pg_amcheck/],
  ['22003', undefined],
  ['CERT_HAS_EXPIRED', /valid now/],
])('makes %s an error of reason store, with what to do', (code, hint) => {
  const error = atWork(code) as SyncError
  expect(error).toBeInstanceOf(SyncError)
  expect(error.reason).toBe('store')
  expect(error.message).toContain(`(${code})`)
  if (hint === undefined) expect(error.hint).toBeUndefined()
  else expect(error.hint).toMatch(hint)
})

it('keeps values of the rows out of errors', () => {
  const error = atWork('23505', 'duplicate key value violates unique constraint')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('ada@x')
  expect(inspect(atWork('22P02', 'invalid input syntax for type bigint: "Ada"'), { depth: 9 })).not.toContain('Ada')
})

it('leaves errors that are not of the database as they are', () => {
  const error = Object.assign(new Error('spawn'), { code: 'ENOENT' })
  expect(storeError(error)).toBe(error)
})
