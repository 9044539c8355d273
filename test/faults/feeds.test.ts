import { expect, it } from 'vitest'
import { dayMs, hourMs } from '../../src/model/durations.ts'
import { startTime } from '../support/fake-clock.ts'
import type { Fault } from './support/fault-server.ts'
import { assertMirrored, changeUpstream, checksOf, resourceAt, spoil, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

it.each(['keyset', 'offset'] as const)(
  'V17 documents that come and go between two pages are neither lost nor removed for nothing, cursors by %s',
  async (cursorKind) => {
    const kinds = { users: cursorKind, documents: cursorKind, apiClients: 'offset' } as const
    const scene = await startScene({ readings: { cursorKind: kinds } })
    const { test, server } = scene
    await scene.cycle()
    const [gone] = test.sim.primary.state.documents()
    let met = 0
    server.choose = ({ path, query }) => {
      if (resourceAt(path) !== 'documents' || !query.has('cursor') || met++ > 0) return undefined
      test.sim.primary.removeDocument(gone?.fileId ?? '')
      test.sim.primary.addDocument({ filename: 'between.pdf', uploadStatus: 'Completed' })
      return undefined
    }
    for (let full = 0; full < 4; full++) {
      expect((await test.run('documents', 'full')).outcome).toBe('success')
      const removed = test.query('select file_id from documents where removed_at is not null')
      expect(removed.map((row) => row['file_id']).filter((id) => id !== gone?.fileId)).toEqual([])
      test.clock.advance(hourMs)
    }
    expect(met).toBeGreaterThan(0)
    expect(test.query('select count(*) as n from documents where removed_at is not null')).toEqual([{ n: 1 }])
    await scene.cycle()
    await assertMirrored(scene)
    scene.assertManners()
  },
)

it('V19 the answer for another user is not taken for the one asked for', async () => {
  const scene = await startScene({ settings: { userDetails: { perRun: 5 } } })
  const { test, server } = scene
  const other = test.sim.primary.addUser({ firstName: 'Other' })
  server.choose = ({ path }) =>
    /\/users\/\d+$/.test(path)
      ? ({ good, ...rest }) =>
          wire.changed((body) => body)({ ...rest, good: () => good(`/api/public/users/${other.userId}`) })
      : undefined
  expect((await test.run('users', 'full')).outcome).toBe('success')
  expect(test.query('select user_id from users where role_id is not null and user_id <> ?', other.userId)).toEqual([])
  expect(test.query("select count(*) as n from users where first_name = 'Other'")).toEqual([{ n: 1 }])
  scene.assertManners()
})

it('V19 the page of another resource is put aside whole: nothing changes, nothing passes', async () => {
  const scene = await startScene()
  const { test, server } = scene
  await scene.cycle()
  const before = test.query('select * from users')
  server.choose = ({ path }) =>
    resourceAt(path) === 'users'
      ? ({ good, ...rest }) => wire.changed((body) => body)({ ...rest, good: () => good('/api/public/documents') })
      : undefined
  await test.run('users', 'full')
  await scene.evaluator()
  expect(test.query('select * from users')).toEqual(before)
  const statuses = await scene.stored()
  for (const check of checksOf('users')) expect([check, statuses[check]]).not.toEqual([check, 'pass'])
  server.choose = () => undefined
  // Records without a readable id leave quarantine after two full syncs without them.
  for (let cycle = 0; cycle < 2; cycle++) {
    test.clock.advance(hourMs)
    await scene.cycle()
  }
  await assertMirrored(scene)
  expect(Object.values(await scene.stored())).not.toContain('unknown')
  scene.assertManners()
})

const ofOneTime = wire.reshaped((envelope) => {
  const timestamp = new Date(startTime).toISOString()
  envelope.meta = { requestId: '11111111-2222-3333-4444-555555555555', timestamp }
})

const cached: Readonly<Record<string, (at: string) => Fault>> = {
  'whose time is an hour old': (at) =>
    wire.reshaped((envelope) => {
      envelope.meta['timestamp'] = at
    }),
  'with an Age header of an hour': () => wire.changed((body) => body, { age: '3600' }),
  'that repeat the id and the time of another': () => ofOneTime,
}

it.each(Object.entries(cached))(
  'V20 answers out of a cache %s are refused: nothing changes, nothing is renewed, and it ends with them',
  async (_, faultAt) => {
    const scene = await startScene()
    const { test, server } = scene
    const spoilt = spoil(scene)
    let answers = 0
    server.choose = () => (answers++ === 0 ? ofOneTime : undefined)
    await scene.cycle()
    const before = { stored: await scene.stored(), findings: await scene.findings() }
    expect(before.stored['api-client-secret-not-expiring']).toBe('pass')
    const facts = scene.facts()
    changeUpstream(scene, spoilt)
    const fault = faultAt(new Date(test.clock.now() - hourMs).toISOString())
    server.choose = () => fault
    await scene.cycle()
    test.clock.advance(dayMs)
    server.requests.length = 0
    for (const { outcome, reason } of await scene.cycle())
      expect([outcome, reason]).toEqual(['failure', 'stale_answer'])
    expect(server.requests).toHaveLength(6)
    expect(scene.facts()).toEqual(facts)
    expect(Object.values(await scene.stored())).not.toContain('pass')
    expect(await scene.findings()).toEqual(expect.arrayContaining([...before.findings]))
    server.choose = () => undefined
    await scene.cycle()
    await assertMirrored(scene)
    expect(Object.values(await scene.stored())).not.toContain('unknown')
    scene.assertManners()
  },
)
