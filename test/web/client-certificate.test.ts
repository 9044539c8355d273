import { expect, it } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { startLive } from './support/live.ts'

const mine = selfSigned('monitor.example')
const sibling = selfSigned('127.0.0.1')
const foreignCertificate = selfSigned('monitor.example')

const config = (type: string, more = '') => `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: ${type}
  client_ca_file: clients.pem
${more}`

const start = (text: string) => startLive(text, '127.0.0.1', mine.cert + sibling.cert)

it.each([
  ['RequestClientCert', [200, 200, 200]],
  ['RequireAnyClientCert', [403, 200, 200]],
  ['RequireClientCert', [403, 200, 200]],
  ['VerifyClientCertIfGiven', [200, 403, 200]],
  ['RequireAndVerifyClientCert', [403, 403, 200]],
])('with %s accepts the expected ones of: no, an unknown and a known certificate', async (type, wanted) => {
  await using web = await start(config(type))
  const found: unknown[] = []
  for (const shown of [{}, foreignCertificate, mine]) {
    found.push((await web.get('/metrics', shown)).status)
    expect((await web.get('/healthz', shown)).status).toBe(200)
  }
  expect(found).toEqual(wanted)
})

it('accepts only certificates with an allowed name', async () => {
  const sans = (...names: string[]) =>
    config('RequireAndVerifyClientCert', `  client_allowed_sans: ${JSON.stringify(names)}\n`)
  await using web = await start(sans('monitor.example'))
  expect((await web.get('/', mine)).status).toBe(200)
  expect((await web.get('/', sibling)).status).toBe(403)
  web.change(sans('127.0.0.1', '*.example', 'MONITOR.example', 'example'))
  expect((await web.get('/', mine)).status).toBe(403)
  expect((await web.get('/', sibling)).status).toBe(200)
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)('does not take a resumed %s session for a certificate', async (version) => {
  await using web = await start(config('RequireAndVerifyClientCert'))
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
