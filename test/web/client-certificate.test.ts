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
  client_ca: ${JSON.stringify(mine.cert + sibling.cert)}
${more}`

it.each([
  ['RequestClientCert', [200, 200, 200]],
  ['RequireAnyClientCert', [403, 200, 200]],
  ['RequireClientCert', [403, 200, 200]],
  ['VerifyClientCertIfGiven', [200, 403, 200]],
  ['RequireAndVerifyClientCert', [403, 403, 200]],
])('with %s accepts the expected ones of: no, an unknown and a known certificate', async (type, wanted) => {
  await using web = await startLive(config(type))
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
  await using web = await startLive(sans('monitor.example'))
  expect((await web.get('/', mine)).status).toBe(200)
  expect((await web.get('/', sibling)).status).toBe(403)
  web.change(sans('127.0.0.1', '*.example', 'MONITOR.example', 'example'))
  expect((await web.get('/', mine)).status).toBe(403)
  expect((await web.get('/', sibling)).status).toBe(200)
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)('does not take a resumed %s session for a certificate', async (version) => {
  await using web = await startLive(config('RequireAndVerifyClientCert'))
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

it('rejects sessions and certificates of a removed authority', async () => {
  await using web = await startLive(config('RequireAndVerifyClientCert'))
  const sessions: Buffer[] = []
  expect((await web.get('/', { ...mine, onSession: (session) => void sessions.push(session) })).status).toBe(200)
  web.change(
    config('RequireAndVerifyClientCert').replace(
      JSON.stringify(mine.cert + sibling.cert),
      JSON.stringify(sibling.cert),
    ),
  )
  const session = sessions.at(-1)
  expect(await web.get('/', { ...mine, ...(session && { session }) })).toMatchObject({ resumed: false, status: 403 })
  expect((await web.get('/', sibling)).status).toBe(200)
})

it('starts to request certificates without a restart', async () => {
  await using web = await startLive('tls_server_config: { cert_file: server.crt, key_file: server.key }')
  expect((await web.get('/')).status).toBe(200)
  web.change(config('RequireAndVerifyClientCert'))
  expect((await web.get('/')).status).toBe(403)
  expect((await web.get('/', mine)).status).toBe(200)
})

it('keeps to the versions, suites and curves of the file', async () => {
  const base = 'tls_server_config: { cert_file: server.crt, key_file: server.key'
  await using web = await startLive(`${base}, min_version: TLS13 }`)
  await expect(web.get('/', { maxVersion: 'TLSv1.2' })).rejects.toThrow()
  expect((await web.get('/')).status).toBe(200)
  const suites =
    'cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256]'
  web.change(`${base}, max_version: TLS12, ${suites} }`)
  await expect(web.get('/', { minVersion: 'TLSv1.3' })).rejects.toThrow()
  expect((await web.get('/')).cipher).toBe('ECDHE-ECDSA-AES256-GCM-SHA384')
  await expect(web.get('/', { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).rejects.toThrow()
  const preferred = { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384' }
  expect((await web.get('/', preferred)).cipher).toBe('ECDHE-ECDSA-AES256-GCM-SHA384')
  web.change(`${base}, max_version: TLS12, ${suites}, prefer_server_cipher_suites: false }`)
  expect((await web.get('/', preferred)).cipher).toBe('ECDHE-ECDSA-CHACHA20-POLY1305')
  web.change(`${base}, curve_preferences: [CurveP384] }`)
  await expect(web.get('/', { ecdhCurve: 'X25519' } as object)).rejects.toThrow()
  expect((await web.get('/', { ecdhCurve: 'P-384' } as object)).status).toBe(200)
})
