import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { dayMs } from '../../src/model/durations.ts'
import { resources } from '../../src/resources/index.ts'
import { withoutAnswer } from './support/black-hole.ts'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import type { FaultServer } from './support/fault-server.ts'
import { resourceAt, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

const hasty = { settings: { api: { timeoutMs: 300 } } }
/** Each attempt costs its whole deadline, so the fault is waited out once. */
const waited = { reason: 'timeout', modes: ['full'], once: true, scene: hasty } as const

const seizing =
  (seize: FaultServer['seize']): NonNullable<FaultCase['state']> =>
  async ({ server }) => {
    await server.down()
    await server.up()
    server.seize = seize
    return async () => {
      server.seize = undefined
    }
  }

const faults: readonly FaultCase[] = [
  {
    id: 'N1',
    what: 'connection refused',
    on: 'documents',
    reason: 'network',
    requests: 0,
    state: async ({ server }) => {
      await server.down()
      return () => server.up()
    },
  },
  {
    id: 'N1',
    what: 'connection accepted and reset at once',
    on: 'documents',
    reason: 'network',
    requests: 0,
    state: seizing((socket) => Boolean(socket.resetAndDestroy())),
  },
  {
    id: 'N1',
    what: 'connection accepted and closed at once',
    on: 'documents',
    reason: 'network',
    requests: 0,
    state: seizing((socket) => Boolean(socket.end())),
  },
  { id: 'N3', what: 'headers never arrive', fault: wire.silence, ...waited },
  { id: 'N3', what: 'headers arrive byte by byte for ever', on: 'documents', fault: wire.drippingHead, ...waited },
  { id: 'N3', what: 'interim answers for ever', on: 'api-clients', fault: wire.endlessInterim, ...waited },
  { id: 'N4', what: 'body never arrives', on: 'roles', fault: wire.headOnly, ...waited },
  { id: 'N4', what: 'body drips a byte an interval', on: 'api-clients', fault: wire.drippingBody, ...waited },
  { id: 'N9', what: 'a line too thin for a page', on: 'documents', fault: wire.slow(16), ...waited },
  { id: 'N5', what: 'reset before an answer', fault: wire.reset, reason: 'network', requests: 6 },
  { id: 'N5', what: 'reset in mid body', on: 'documents', fault: wire.resetInBody, reason: 'network' },
  {
    id: 'N5',
    what: 'reset in mid body of a later page',
    fault: wire.resetInBody,
    fromPage: 2,
    modes: ['full'],
    requests: 6,
    reason: 'network',
  },
  {
    id: 'N6',
    what: 'body cut against content-length',
    on: 'roles',
    fault: wire.cut('content-length'),
    reason: 'network',
  },
  { id: 'N6', what: 'body cut within a chunk', on: 'permissions', fault: wire.cut('chunked'), reason: 'network' },
  {
    id: 'N6',
    what: 'whole body in chunks, never ended',
    fault: wire.cut('chunked', (body) => body),
    reason: 'network',
  },
  { id: 'N7', what: 'body cut in mid JSON, framed by its end', fault: wire.cut('close'), reason: 'protocol' },
  {
    id: 'N7',
    what: 'body cut at valid JSON, framed by its end',
    on: 'documents',
    fault: wire.cut('close', (body) => Buffer.from(`${body.subarray(0, body.indexOf('],"pagination"') + 1)}}`)),
    reason: 'protocol',
  },
]

it.each(named(faults))('%s ends the run, and nothing of it is kept', (_, row) => proveFault(row))

const harmless: readonly HarmlessCase[] = [
  { id: 'N8', what: 'answers in single bytes', fault: wire.sliced(1) },
  { id: 'N8', what: 'answers in pieces that split characters', on: 'documents', fault: wire.sliced(7) },
  { id: 'N9', what: 'a thin line', on: 'roles', fault: wire.slow(1000) },
  { id: 'N10', what: 'kept-alive connections closed by the peer', on: 'api-clients', fault: wire.thenClosed },
  { id: 'N5', what: 'one reset', on: 'roles', fault: wire.resetInBody, times: 1 },
  { id: 'N6', what: 'four cut answers in a row', fault: wire.cut('content-length'), times: 4 },
  {
    id: 'N4',
    what: 'one answer that never ends',
    on: 'documents',
    fault: wire.headOnly,
    times: 1,
    scene: { settings: { api: { timeoutMs: 2000 } } },
  },
  {
    id: 'N12',
    what: 'a name with several addresses of which one answers',
    fault: wire.sliced(1000),
    scene: { server: { host: 'localhost' } },
  },
]

it.each(named(harmless))('%s is ridden out', (_, row) => proveHarmless(row))

it('N2 a peer that never completes the handshake costs no more than the deadline', async () => {
  await using hole = await withoutAnswer()
  const scene = await startScene({ settings: { baseUrl: hole.url, api: { timeoutMs: 300 } } })
  const started = performance.now()
  const { reason } = await scene.test.run('users', 'full')
  expect(reason).toBe('timeout')
  expect(performance.now() - started).toBeLessThan(20_000)
})

it('N2 a run that waits for a handshake ends at once when it is aborted', async () => {
  await using hole = await withoutAnswer()
  const { test } = await startScene({ settings: { baseUrl: hole.url, api: { timeoutMs: 60_000 } } })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  const started = performance.now()
  expect((await test.run('users', 'full', stop.signal)).reason).toBe('aborted')
  expect(performance.now() - started).toBeLessThan(20_000)
})

it('N11 answers that come late, but in time, cost not one request more', async () => {
  const scene = await startScene({ settings: { api: { timeoutMs: 20_000 } } })
  const { server } = scene
  const cost = async () => {
    server.requests.length = 0
    const results = await scene.cycle()
    expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
    return server.requests.length
  }
  await cost()
  const prompt = await cost()
  server.choose = () => wire.delayed(100 * (server.requests.length % 4))
  expect(await cost()).toBe(prompt)
  scene.assertManners()
})

it('N13 a host name that does not resolve fails the run and nothing else', async () => {
  const scene = await startScene({ settings: { baseUrl: 'https://tenant.invalid', api: { timeoutMs: 300 } } })
  const { outcome, reason } = await scene.test.run('users', 'full')
  expect(outcome).toBe('failure')
  // A resolver that does not answer leaves it to the deadline.
  expect(['network', 'timeout']).toContain(reason)
})

it('N15 a run slower than its interval is never doubled: the next one waits for it', async () => {
  const { test, server } = await startScene()
  let underWay = 0
  let most = 0
  server.choose = ({ path }) =>
    resourceAt(path) === 'users'
      ? async (context) => {
          most = Math.max(most, ++underWay)
          await sleep(20)
          underWay--
          await wire.sliced(100_000)(context)
        }
      : undefined
  const results = await Promise.all([1, 2, 3].map(() => test.run('users', 'full')))
  expect(results.map(({ outcome }) => outcome)).toEqual(['success', 'success', 'success'])
  expect(most).toBe(1)
})

it('N16 a network that is back after three days costs an ordinary cycle, no burst', async () => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  test.clock.advance(dayMs)
  server.requests.length = 0
  await scene.cycle()
  const ordinary = server.requests.length
  await server.down()
  for (let day = 0; day < 3; day++) {
    test.clock.advance(dayMs)
    const results = await scene.cycle()
    expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill('network'))
    expect(Object.values(await scene.stored())).not.toContain('pass')
  }
  await server.up()
  server.requests.length = 0
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  expect(server.requests.length).toBeLessThanOrEqual(ordinary)
  scene.assertManners()
})
