import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { hashes, startLive } from './support/live.ts'
import { sources, startServer } from './support/server.ts'

const script = join(import.meta.dirname, '../../config/health-check.mjs')

/** How the health check of the container ends for a server on this port. */
async function checked(port: number, host = '0.0.0.0:'): Promise<number> {
  const child = spawn(process.execPath, [script], { env: { TENANTWATCH_LISTEN: `${host}${port}` } })
  const [code] = await once(child, 'close')
  return code
}

it('passes for a live daemon over HTTP, over TLS, and with required certificate and password', async () => {
  await using plain = await startServer()
  const { cert } = selfSigned('127.0.0.1')
  await using closed = await startLive(
    `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: clients.pem
basic_auth_users: { alice: ${hashes.wonder} }
`,
    '127.0.0.1',
    cert,
  )
  expect([await checked(plain.port), await checked(closed.port)]).toEqual([0, 0])
})

it('fails for an unhealthy daemon and for one that does not answer', async () => {
  const ill = await startServer({ sources: { ...sources, health: () => ({ ok: false, text: 'ill' }) } })
  expect(await checked(ill.port)).toBe(1)
  await ill.server.dispose(0)
  expect(await checked(ill.port)).toBe(1)
})
