import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openWorld } from '../hostile/support/world.ts'
import type { Certificate } from '../support/certificate.ts'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import type { Fault } from './support/fault-server.ts'
import { type Scene, startScene } from './support/scene.ts'
import { expired, notYetValid, ofAnotherHost, secured, show } from './support/tls-scene.ts'
import * as wire from './support/wire.ts'

const certificates: readonly (readonly [what: string, make: () => Certificate, trusted: boolean, code: string])[] = [
  ['an expired certificate', expired, true, 'CERT_HAS_EXPIRED'],
  ['a certificate that is not valid yet', notYetValid, true, 'CERT_NOT_YET_VALID'],
  ['a certificate of another host', ofAnotherHost, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['a self-signed certificate', ofAnotherHost, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
]

it.each(certificates)('T1 %s ends the run as tls before a request is sent', async (_, make, trusted, code) => {
  const secure = secured()
  await proveFault({
    id: 'T1',
    what: '',
    on: 'documents',
    reason: 'tls',
    requests: 0,
    scene: secure.options,
    message: code,
    state: async (scene) => {
      const shown = make()
      if (trusted) secure.quality(shown.cert)
      const back = await show(scene, shown, secure.good)
      return () => {
        secure.quality(secure.good.cert)
        return back()
      }
    },
  })
})

it('T1 a server that speaks TLS 1.1 at most ends the run as tls', async () => {
  const secure = secured()
  const old = { ...secure.good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
  const state = (scene: Scene) => show(scene, old, secure.good)
  await proveFault({ id: 'T1', what: '', on: 'documents', reason: 'tls', requests: 0, scene: secure.options, state })
})

const handshakes: readonly (readonly [string, (socket: Socket) => unknown, 'tls' | 'network' | 'timeout'])[] = [
  [
    'plain HTTP in place of a handshake',
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')),
    'tls',
  ],
  ['a connection closed in the handshake', (socket) => socket.once('data', () => socket.end()), 'network'],
  ['a handshake that never continues', () => undefined, 'timeout'],
]

it.each(handshakes)('T1 %s ends the run, and no request is sent', async (_, seize, reason) => {
  const secure = secured()
  const slow = reason === 'timeout'
  await proveFault({
    id: 'T1',
    what: '',
    on: 'documents',
    reason,
    requests: 0,
    ...(slow ? { once: true, modes: ['full'] } : {}),
    scene: { ...secure.options, settings: { api: { caFile: secure.caFile, timeoutMs: slow ? 300 : 10_000 } } },
    state: async ({ server }) => {
      await server.down()
      await server.up()
      server.seize = (socket) => {
        seize(socket)
        return true
      }
      return async () => {
        // What still waits for its handshake would be kept for the next request.
        await server.down()
        await server.up()
        server.seize = undefined
      }
    },
  })
})

it('T3 a file of authorities that becomes unreadable ends the run as tls, and a repaired one is read again', async () => {
  const secure = secured()
  await proveFault({
    id: 'T3',
    what: '',
    on: 'documents',
    reason: 'tls',
    requests: 0,
    scene: secure.options,
    state: () => {
      writeFileSync(secure.caFile, 'no certificate')
      return async () => secure.quality(secure.good.cert)
    },
  })
})

it('T3 a renewed certificate is trusted once its authority is in the file', async () => {
  const secure = secured()
  const scene = await startScene(secure.options)
  const reasons = async () => (await scene.cycle()).map(({ reason }) => reason)
  expect(await reasons()).toEqual(Array(resources.length).fill(null))
  const next: Certificate = secured().good
  await show(scene, next, next)
  expect(await reasons()).toEqual(Array(resources.length).fill('tls'))
  secure.quality(next.cert)
  expect(await reasons()).toEqual(Array(resources.length).fill(null))
  scene.assertManners()
})

it('T2 a program with certificate checks disabled reports it and sends no request', async () => {
  await using world = await openWorld()
  world.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  for (const command of ['sync', 'run', 'doctor']) {
    const { code, stderr } = await world.run(command)
    expect([command, code]).toEqual([command, 2])
    expect(stderr).toMatch(/^tenantwatch: NODE_TLS_REJECT_UNAUTHORIZED is 0.*unset it$/m)
  }
  expect(world.simulator.requests.count()).toBe(0)
})

it('T4 proxies that only the environment names are not used', async () => {
  const scene = await startScene()
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  for (const name of names) vi.stubEnv(name, scene.other.url)
  onTestFinished(() => void vi.unstubAllEnvs())
  await scene.test.restart({})
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  scene.assertManners()
})

const statuses = [300, 301, 302, 303, 305, 307, 308]

const to =
  (target: (scene: Scene) => string, more: Record<string, string> = {}) =>
  (scene: Scene): Record<string, Fault> =>
    Object.fromEntries(
      statuses.map((status) => [status, wire.answer(status, '', { location: target(scene), ...more })]),
    )

const otherOrigin = ({ other }: Scene) => `${other.url}/api/public/users`
const ownHeader = { header: 'X-Api-Token', scheme: '' }
const common = { reason: 'redirect', requests: 1 } as const

const redirects: readonly FaultCase[] = [
  { id: 'T5', what: '3xx to another origin', ...common, family: to(otherOrigin) },
  {
    id: 'T5',
    what: '3xx to another origin, the token in a header of its own',
    ...common,
    family: to(otherOrigin, { refresh: '0; url=/' }),
    scene: { settings: { auth: ownHeader }, readings: { tokenHeader: ownHeader.header, tokenScheme: '' } },
  },
  {
    id: 'T5',
    what: '3xx to the same listener by another name',
    ...common,
    family: to(({ server }) => `${server.url.replace('127.0.0.1', 'localhost')}/api/public/users`),
  },
  {
    id: 'T6',
    what: '3xx to itself',
    on: 'documents',
    ...common,
    family: to(({ server }) => `${server.url}/api/public/documents`),
  },
  {
    id: 'T6',
    what: '3xx to https',
    on: 'roles',
    ...common,
    family: to(({ server }) => server.url.replace('http:', 'https:')),
  },
  { id: 'T6', what: '3xx to nowhere', on: 'api-clients', ...common, family: to(() => '//') },
  { id: 'T6', what: '307 without a target', on: 'permissions', ...common, fault: wire.answer(307) },
  {
    id: 'T7',
    what: 'a sign-in page with 200',
    on: 'authentication-settings',
    reason: 'protocol',
    requests: 1,
    fault: wire.answer(200, `<html>${wire.bodyCanary}</html>`, { 'content-type': 'text/html' }),
  },
  {
    id: 'T7',
    what: '511 of a captive portal',
    on: 'permissions',
    reason: 'server_error',
    fault: wire.answer(511, '<html>'),
  },
]

it.each(named(redirects))('%s is not followed, and ends the run', (_, row) => proveFault(row))

const harmless: readonly HarmlessCase[] = [
  {
    id: 'T5',
    what: 'an answer that asks a browser to go elsewhere',
    fault: wire.changed((body) => body, { refresh: '0; url=http://127.0.0.1:1/', location: 'http://127.0.0.1:1/' }),
  },
  {
    id: 'T7',
    what: 'the right answer under another content type',
    fault: wire.changed((body) => body, { 'content-type': 'text/plain' }),
  },
]

it.each(named(harmless))('%s is read', (_, row) => proveHarmless(row))
