import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { SyncError } from '../../../src/model/errors.ts'
import { openPostgres } from '../../../src/store/postgres/open.ts'
import { DriverError, storeError } from '../../../src/store/postgres/store-error.ts'

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
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
  return (error as Error).message.replaceAll(String(port), 'PORT')
}

it('names what is wrong with the server, and what to do', async () => {
  const said: string[] = []
  const codes = ['28P01', '28000', '3D000', '53300', '53100', '57P03', '42501', 'XX000']
  for (const code of codes) said.push(await refusal(await fakeServer(refuse(code, 'the server says'))))
  expect(said).toMatchInlineSnapshot(`
    [
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server refused the user or its password (28P01); check the user and password of store.url, pg_hba.conf, and whether the server wants TLS (sslmode) or a client certificate (sslcert)",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server refused the user or its password (28000); check the user and password of store.url, pg_hba.conf, and whether the server wants TLS (sslmode) or a client certificate (sslcert)",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database does not exist (3D000); create it with "createdb", or correct its name in store.url",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server takes no more connections (53300); raise max_connections, or use a pooler",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server has no room left (53100); free space or memory on the database server; nothing was lost",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server cannot be reached (57P03); check that the server runs and that the host and port of store.url are right",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database user lacks a permission (42501); make it the owner of the database, or of all tables of tenantwatch",
      "The database "mirror" at 127.0.0.1:PORT cannot be used: the database server has a fault of its own (XX000); its log says more",
    ]
  `)
})

/** Asks for a password, and refuses it or, when it is the right one, the database. */
function guarded(right: string, heard: string[]) {
  return (socket: Socket, data: Buffer) => {
    if (data[0] !== 0x70) return void socket.write(Buffer.from('R\0\0\0\x08\0\0\0\x03'))
    heard.push(data.toString('utf8', 5, data.length - 1))
    refuse(heard.at(-1) === right ? '3D000' : '28P01', 'the server says')(socket)
  }
}

it.each([
  ['is asked for again', ['old', 'new'], '3D000'],
  ['did not change, and is not tried again', ['old', 'old'], '28P01'],
  ['changed to one that is refused as well', ['old', 'older'], '28P01'],
  ['cannot be had', ['old', null], '28P01'],
])('after the server refused a password, one that %s', async (_, [first, renewed], code) => {
  const heard: string[] = []
  const port = await fakeServer(guarded('new', heard))
  let password = first
  const url = async (refused?: 'refused') => {
    if (refused !== undefined) password = renewed
    if (password === null) throw new Error('the command failed')
    return `postgres://tenantwatch:${password}@127.0.0.1:${port}/mirror?sslmode=disable`
  }
  await expect(openPostgres({ url, role: 'engine', clock, random: () => 0 })).rejects.toThrow(`(${code})`)
  expect(heard).toEqual(renewed === null || renewed === first ? [first] : [first, renewed])
})

it('takes an answer that cannot be read for a lost connection', async () => {
  // A row of five values without any.
  const row = Buffer.from([0x44, 0, 0, 0, 6, 0, 5])
  const port = await fakeServer((socket) => void socket.write(row))
  expect(await refusal(port)).toMatch(/^The database "mirror" at 127.0.0.1:PORT cannot be used: .* reached \(08P01\); /)
})

it('names a server that is away, one that hangs up, and one without TLS', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  expect(await refusal(port)).toMatchInlineSnapshot(
    `"The database "mirror" at 127.0.0.1:PORT cannot be used: the database server cannot be reached (ECONNREFUSED); check that the server runs and that the host and port of store.url are right"`,
  )
  expect(await refusal(await fakeServer((socket) => socket.destroy()))).toMatchInlineSnapshot(
    `"The database "mirror" at 127.0.0.1:PORT cannot be used: the database server cannot be reached; check that the server runs and that the host and port of store.url are right"`,
  )
  expect(await refusal(await fakeServer(() => {}), '?sslmode=require')).toMatchInlineSnapshot(
    `"The database "mirror" at 127.0.0.1:PORT cannot be used: the database server does not offer TLS; switch it on there with ssl=on; sslmode=disable connects without TLS"`,
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

it('makes every failure of the database one of reason store, with a hint where there is one', () => {
  const codes = ['ECONNRESET', '57P01', '53100', '25006', '42P01', '57014', '25P03', '40001', 'XX001', '22003']
  const said = codes.map((code) => {
    const error = atWork(code) as SyncError
    expect(error).toBeInstanceOf(SyncError)
    expect(error.reason).toBe('store')
    return `${error.message}; ${error.hint ?? 'no hint'}`
  })
  expect(said).toMatchInlineSnapshot(`
    [
      "The database server cannot be reached (ECONNRESET); Check that the server runs and that the host and port of store.url are right",
      "The database server cannot be reached (57P01); Check that the server runs and that the host and port of store.url are right",
      "The database server has no room left (53100); Free space or memory on the database server; nothing was lost",
      "The database is read-only (25006); Set store.url to the primary server, not to a standby; on the primary server, reset default_transaction_read_only",
      "Tables of the database are missing or have another layout (42P01); Restore a backup, or give tenantwatch an empty database",
      "The database server took too long (57014); Check the load and the locks of the database server",
      "The database server took too long (25P03); Check the load and the locks of the database server",
      "The transaction kept conflicting with others (40001); Nothing was lost",
      "The database is damaged (XX001); Check it with pg_amcheck, and restore a backup",
      "The database server refused a statement (22003); no hint",
    ]
  `)
})

it.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'refused the client certificate, or wants one', 'sslcert and sslkey'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'refused the client certificate, or wants one', 'sslcert and sslkey'],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'refused the client certificate, or wants one', 'sslcert and sslkey'],
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'The certificate or key of store.url cannot be used', 'sslcert and sslkey'],
  ['CERT_HAS_EXPIRED', 'has expired', 'Renew it on the server'],
  ['CERT_NOT_YET_VALID', 'is not valid yet', 'clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name', 'Name the host in store.url as the certificate does'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is not trusted', 'Name it with sslrootcert'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is not trusted', 'Name it with sslrootcert'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'No TLS connection to the database server', 'which versions of TLS'],
])('has a hint of its own for %s', (code, sentence, hint) => {
  const error = atWork(code) as SyncError
  expect(error.message).toContain(sentence)
  expect(error.hint).toContain(hint)
})

it.each(['write_item', 'write_relcache_init_file'])('takes a failure of %s for a full disk', (routine) => {
  const error = new DriverError({ code: 'XX000', message: 'could not write init file', routine })
  expect(storeError(error)).toMatchObject({ message: 'The database server has no room left (XX000)' })
})

it('does not take a failure to connect for a refused statement', () => {
  const codes = ['', 'ERR_UNHEARD_OF', '58030', 'XX000']
  expect(codes.map((code) => (atWork(code) as SyncError).message)).toEqual([
    'The connection to the database server failed',
    'The connection to the database server failed (ERR_UNHEARD_OF)',
    'The database server has a fault of its own (58030)',
    'The database server has a fault of its own (XX000)',
  ])
})

it('keeps values of the rows out of errors', () => {
  const error = atWork('23505', 'duplicate key value violates unique constraint')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('ada@x')
  expect(inspect(atWork('22P02', 'invalid input syntax for type bigint: "Ada"'), { depth: 9 })).not.toContain('Ada')
})

it('says that the mirror is closed', () => {
  expect(atWork('', 'Cannot use a pool after calling end on the pool')).toMatchObject({
    message: 'The mirror is closed',
  })
})

it('leaves errors that are not of the database as they are', () => {
  const error = Object.assign(new Error('spawn'), { code: 'ENOENT' })
  expect(storeError(error)).toBe(error)
})
