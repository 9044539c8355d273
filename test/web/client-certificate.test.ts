import { expect, it } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { startLive } from './support/live.ts'

const mine = selfSigned('monitor.example')
const foreignCertificate = selfSigned('monitor.example')

const config = `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: clients.pem
`

const start = (text: string) => startLive(text, '127.0.0.1', mine.cert)

it('accepts a certificate of the client CA, not an unknown one or none', async () => {
  await using web = await start(config)
  const found: unknown[] = []
  for (const shown of [{}, foreignCertificate, mine]) {
    found.push((await web.get('/metrics', shown)).status)
    expect((await web.get('/healthz', shown)).status).toBe(200)
  }
  expect(found).toEqual([403, 403, 200])
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)('does not take a resumed %s session for a certificate', async (version) => {
  await using web = await start(config)
  const versions = { minVersion: version, maxVersion: version }
  const resumedWith = async (shown: object) => {
    const sessions: Buffer[] = []
    await web.get('/healthz', { ...shown, ...versions, onSession: (session) => void sessions.push(session) })
    const session = sessions.at(-1)
    return web.get('/metrics', { ...versions, ...(session && { session }) })
  }
  expect(await resumedWith({})).toMatchObject({ resumed: true, status: 403 })
  expect(await resumedWith(foreignCertificate)).toMatchObject({ resumed: true, status: 403 })
  expect(await resumedWith(mine)).toMatchObject({ resumed: true, status: 200 })
})
