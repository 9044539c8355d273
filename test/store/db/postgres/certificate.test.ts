import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { parseAddress } from '../../../../src/store/db/postgres/address.ts'
import { openPool } from '../../../../src/store/db/postgres/pool.ts'
import { selfSigned } from '../../../support/certificate.ts'
import { listening } from '../../../support/listening.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

/** Connects to an address whose server has a certificate for `named`; the start-up message that the server then reads. */
async function connected(host: string, named: string, mode = 'sslmode=verify-full') {
  const { cert, key } = selfSigned(named)
  const file = join(temporaryFolder(), 'ca.pem')
  writeFileSync(file, cert)
  let user = 'nothing was sent'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) })
      secure.on('error', () => {})
      secure.once('data', (data) => {
        user = data.toString().includes('watcher') ? 'the user was sent' : 'something was sent'
        secure.destroy()
      })
    })
  })
  const port = await listening(server)
  const { address } = parseAddress(`postgres://watcher:p@${host}:${port}/m?${mode}&sslrootcert=${file}`)
  const pool = await openPool({ address, password: async () => 'p', connections: 1, idleMs: 1000, silenceMs: 1000 })
  await pool.connect().catch(() => {})
  await pool.end()
  return user
}

it('compares an IP address with the certificate', async () => {
  expect(await connected('127.0.0.1', '127.0.0.1')).toBe('the user was sent')
  expect(await connected('127.0.0.1', 'localhost')).toBe('nothing was sent')
})

it('verifies the authority that sslmode=require is given, as libpq does', async () => {
  expect(await connected('127.0.0.1', 'localhost', 'sslmode=require')).toBe('the user was sent')
  const { address } = parseAddress('postgres://u:p@db.example.com/m?sslmode=require')
  expect(address.tls?.rejectUnauthorized).toBe(false)
})
