import { expect, it } from 'vitest'
import type { Waiver } from '../../src/config/settings.ts'
import { type ReadFindings, readFindings } from '../../src/evaluate/findings/read-findings.ts'
import { markOf, type WaivableFinding, waiverMatcher } from '../../src/evaluate/findings/waivers.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { hourMs } from '../../src/model/time.ts'
import { withoutDetails } from '../../src/resources/redact-finding.ts'
import { iso, now, user } from '../checks/support/facts.ts'
import { finding } from '../web/support/scene.ts'
import { evaluate, resync, soundWorld, type TestWorld } from './support/evaluating.ts'
import { waiver as waiverOf } from './support/sqlite-world.ts'

const waiver = waiverOf({ entity: '2', expiresMs: now + 2 * hourMs })

async function read(world: TestWorld, more: Partial<ReadFindings> = {}): Promise<FindingView[]> {
  const found: FindingView[] = []
  const request = { store: world.store, waivers: [waiver], now: now + hourMs, check: 'user-mfa-enrolled', ...more }
  for await (const finding of readFindings(request)) found.push(finding)
  return found
}

async function worldOfThree(): Promise<TestWorld> {
  const world = await soundWorld()
  for (const userId of [1, 2, 3]) await world.put('users', user({ userId, mfaStatus: false }))
  await evaluate(world)
  await world.put('users', user({ userId: 3 }))
  resync(world, now + hourMs)
  await evaluate(world, { at: now + hourMs })
  return world
}

const states = (findings: readonly FindingView[]) => findings.map(({ entity, state }) => `${entity.id} ${state}`)

it('reads open, unwaived findings by default', async () => {
  const world = await worldOfThree()
  expect(states(await read(world))).toEqual(['1 open'])
  expect(states(await read(world, { states: ['open', 'waived'] }))).toEqual(['1 open', '2 waived'])
  const all = await read(world, { states: ['open', 'waived', 'resolved'] })
  expect(states(all)).toEqual(['1 open', '2 waived', '3 resolved'])
  expect(all.map((finding) => finding.waiver?.id ?? null)).toEqual([null, 'w1', null])
})

it('shows an open finding as last seen at the last evaluation, a resolved one when it was last found', async () => {
  const all = await read(await worldOfThree(), { states: ['open', 'resolved'] })
  const [firstSeen, last] = [iso(now), iso(now + hourMs)]
  const open = { firstSeen, lastSeen: last, resolvedAt: null, resolution: null, reopened: 0, tenant: 'acme' }
  expect(all[0]).toMatchObject(open)
  expect(all[1]).toMatchObject({ firstSeen, lastSeen: firstSeen, resolvedAt: last, resolution: 'fixed' })
})

it('keeps the last-seen time during evaluations of stale data, for whatever reason', async () => {
  const world = await soundWorld()
  await world.put('users', user({ userId: 1, mfaStatus: false }))
  await evaluate(world)
  await evaluate(world, { at: now + hourMs })
  const staleAt = now + 100 * hourMs
  await evaluate(world, { at: staleAt })
  world.set('users', { denied: 'unauthorized' })
  await evaluate(world, { at: staleAt + hourMs })
  const [finding] = await read(world, { waivers: [], now: staleAt + hourMs })
  expect(finding).toMatchObject({ state: 'open', firstSeen: iso(now), lastSeen: iso(staleAt) })
})

it('names the waiver that expires last, and compares GUIDs in lower case', () => {
  const covering = (one: WaivableFinding, waivers: readonly Waiver[]) =>
    markOf(waiverMatcher(waivers)({ ...one, lapses: [] }, now), now)
  const longer = { ...waiver, id: 'w2', entity: '*', expiresMs: waiver.expiresMs + 1 }
  const finding = { tenant: 'acme', check: 'user-mfa-enrolled', entityId: '2' }
  expect(covering(finding, [waiver, longer])?.id).toBe('w2')
  const guid = '0a1b2c3d-0000-4000-8000-00000000abcd'
  expect(covering({ ...finding, entityId: guid }, [{ ...waiver, entity: guid.toUpperCase() }])?.id).toBe('w1')
  const named = guid.toUpperCase()
  expect(covering({ ...finding, entityId: named }, [{ ...waiver, entity: named }])?.id).toBe('w1')
  expect(covering({ ...finding, entityId: 'plan.pdf' }, [{ ...waiver, entity: 'Plan.pdf' }])).toBeNull()
  for (const other of [{ entityId: '3' }, { check: 'user-role-active' }, { tenant: 'globex' }])
    expect(covering({ ...finding, ...other }, [waiver])).toBeNull()
})

it('hides an id of a document that is no GUID from a finding without details', () => {
  const id = 'Ada_CV.docx'
  const entity = { type: 'document', id } as const
  const evidence = { fileId: id, uploadStatus: 'Completed' }
  expect(withoutDetails(finding({ entity, evidence, message: `Document ${id} was last updated` }))).toMatchObject({
    entity: { type: 'document', id: '[hidden]' },
    message: 'Document [hidden] was last updated',
    evidence: { fileId: '[hidden]', uploadStatus: 'Completed' },
  })
})
