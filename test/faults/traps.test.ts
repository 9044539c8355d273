import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import type { Fault } from './support/fault-server.ts'
import { assertMirrored, checksOf, resourceAt, type Scene, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

type Row = Record<string, unknown>

const rows = (change: (records: Row[]) => unknown): Fault =>
  wire.reshaped((envelope) => ({ ...envelope, data: change(envelope.data as Row[]) }))
const ending = (change: (records: Row[]) => unknown): Fault =>
  wire.reshaped((envelope) => {
    const pagination = { ...envelope.pagination, hasMore: false }
    return { ...envelope, data: change(envelope.data as Row[]), pagination }
  })

/** A scene after a sound cycle, with a fault on one resource from now on. */
async function faultyScene(on: Parameters<typeof checksOf>[0], fault: Fault, settings = {}): Promise<Scene> {
  const scene = await startScene({ settings })
  await scene.cycle()
  scene.server.choose = ({ path }) => (resourceAt(path) === on ? fault : undefined)
  return scene
}

async function assertNoPass(scene: Scene, on: Parameters<typeof checksOf>[0]): Promise<void> {
  await scene.evaluator()
  const statuses = await scene.stored()
  for (const check of checksOf(on)) expect([check, statuses[check]]).not.toEqual([check, 'pass'])
}

async function assertMends(scene: Scene, stepMs = hourMs): Promise<void> {
  scene.server.choose = () => undefined
  for (let cycle = 0; cycle < 2; cycle++) {
    scene.test.clock.advance(stepMs)
    await scene.cycle()
  }
  await assertMirrored(scene)
  expect(Object.values(await scene.stored())).not.toContain('unknown')
  expect(await scene.test.mirror.holds()).toEqual([])
  scene.assertManners()
}

it.each(['users', 'documents', 'api-clients'] as const)(
  'S13 a feed of %s that ends too early removes no record: it is held, no check passes, and it recovers by itself',
  async (resource) => {
    const scene = await faultyScene(
      resource,
      ending((records) => records.slice(0, 4)),
    )
    const { test } = scene
    const facts = scene.facts()
    for (let cycle = 0; cycle < 3; cycle++) {
      test.clock.advance(hourMs)
      const { reason } = await test.run(resource, 'full')
      if (resource === 'users' || cycle > 0) expect(reason).toBe('shrink_held')
      // What one full sync did not show counts with its last good version until the second full sync does not show it either.
      if (resource === 'users' || cycle > 0) await assertNoPass(scene, resource)
    }
    const live = (one: unknown) =>
      Object.values(one as Record<string, Row[]>)
        .flat()
        .filter((row) => 'removed_at' in row && row['removed_at'] === null).length
    expect(live(scene.facts())).toBe(live(facts))
    await assertMends(scene)
  },
)

const drifts: readonly (readonly [what: string, change: (one: Row) => unknown])[] = [
  ['mfaStatus vanishes', (one: Row) => ({ ...one, mfaStatus: undefined })],
  ['mfaStatus becomes a text', (one: Row) => ({ ...one, mfaStatus: 'true' })],
  ['createdAt becomes a day that does not exist', (one: Row) => ({ ...one, createdAt: '2026-02-30T00:00:00Z' })],
  ['the identifiers vanish', (one: Row) => ({ ...one, userId: undefined })],
  ['records become texts', () => 'a user'],
]

it.each(drifts)('S18 when %s in every record, the last good ones stay and nothing passes', async (_, change) => {
  const scene = await faultyScene(
    'users',
    rows((records) => records.map(change)),
  )
  const { test } = scene
  const stored = () => test.query('select * from users').map(({ missing_since: _, ...user }) => user)
  const before = stored()
  for (let cycle = 0; cycle < 2; cycle++) {
    test.clock.advance(hourMs)
    await test.run('users', 'full')
    await assertNoPass(scene, 'users')
    expect(stored()).toEqual(before)
  }
  await assertMends(scene)
})

it('S15 a state that nobody described is kept, counted, and excuses nobody from enrolment', async () => {
  const scene = await faultyScene(
    'users',
    rows(([first, ...others]) => [
      { ...first, state: 'Suspended', mfaStatus: false },
      ...others.map((one) => ({ ...one, state: 'Suspended' })),
    ]),
  )
  const { test } = scene
  test.sim.primary.setSettings({ mfaEnabled: true })
  await scene.cycle()
  expect(test.observed.events).toContain('users unknown_value')
  expect(test.query('select distinct state from users')).toEqual([{ state: 'Suspended' }])
  expect((await scene.stored())['user-mfa-enrolled']).toBe('fail')
  const severity = 'select distinct severity from findings where "check" = ? and resolved_at is null'
  expect(test.query(severity, 'user-mfa-enrolled')).toEqual([{ severity: 'high' }])
  await assertMends(scene)
})
