import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { isPublicId, type TopFindings, topFindings } from '../../src/evaluate/findings/open-findings.ts'
import { document, settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from './support/sqlite-world.ts'

const mfa = 'user-mfa-enrolled'
type World = Awaited<ReturnType<typeof sqliteWorld>>

/** The query of a scrape for a check at this moment. */
async function request({ mirror, tenantId, waivers, now, ...world }: World, id: string): Promise<TopFindings> {
  const [check, counts] = [
    checks.find((one) => one.id === id),
    (await world.posture()).checks.find((one) => one.check === id),
  ]
  if (check === undefined || counts === undefined) throw new Error(`There is no check ${id}`)
  const own = waivers.filter((one) => one.check === id)
  const lastEventId = await mirror.lastEventId(tenantId)
  return { store: mirror, tenant: { id: tenantId, name: 'acme' }, lastEventId, check, counts, waivers: own, now }
}

const top = async (world: World, check = mfa) => topFindings(await request(world, check))
const idsOf = (found: readonly { readonly entityId: string }[]) => found.map(({ entityId }) => entityId)

const lacking = (from: number, count: number, state = 'Active') =>
  Array.from({ length: count }, (_, i) => user({ userId: from + i, mfaStatus: false, state }))

async function withUsers(users: readonly Record<string, unknown>[], waivers: World['waivers'] = []): Promise<World> {
  const world = await sqliteWorld()
  world.waivers = waivers
  await world.sync({ 'authentication-settings': [settings()], users })
  await world.evaluate()
  return world
}

it('names at most ten of a check: the most severe, then those opened first', async () => {
  const early = [...lacking(40, 3), ...lacking(100, 8, 'Invited')]
  const world = await withUsers(early)
  // Smaller ids that came later do not come first.
  await world.sync({ users: [...early, ...lacking(1, 4)] })
  await world.evaluate()
  const found = await top(world)
  expect(idsOf(found)).toEqual(['40', '41', '42', '1', '2', '3', '4', '100', '101', '102'])
  expect(found.map(({ severity }) => severity)).toEqual([...Array(7).fill('high'), ...Array(3).fill('low')])
  const finding = (await world.findings(mfa)).find(({ entity }) => entity.id === '40')
  const facts = { check: mfa, severity: 'high', entityType: 'user', entityId: '40', owner: '' }
  expect(found[0]).toEqual({ ...facts, fingerprint: finding?.fingerprint })
})

it('finds the open finding among many that a waiver for all entities covers', async () => {
  const all = waiver({ entity: '*' })
  const world = await withUsers(lacking(1, 60), [all])
  expect(await top(world)).toEqual([])
  await world.sync({ users: [...lacking(1, 59), ...lacking(60, 1, 'Frozen')] })
  await world.evaluate()
  expect((await world.counts(mfa)).open).toEqual({ high: 1 })
  expect(idsOf(await top(world))).toEqual(['60'])
  world.waivers = [all, waiver({ id: 'w2', entity: '60' })]
  expect(await top(world)).toEqual([])
})

it('shows plain ids of built-in checks but never a file name', async () => {
  const world = await sqliteWorld()
  await world.sync({
    'authentication-settings': [settings({ mfaEnabled: false })],
    documents: [
      document({ fileId: 'd-1', uploadStatus: null, createdAt: '2024-01-01T00:00:00Z' }),
      document({ fileId: 'Salary of Ada Lovelace.pdf', createdAt: '2024-01-01T00:00:00Z' }),
      document({ fileId: 'ada@example.com', createdAt: '2024-01-01T00:00:00Z' }),
    ],
  })
  await world.evaluate()
  expect(await top(world, 'document-name-unique')).toEqual([
    {
      check: 'document-name-unique',
      severity: 'info',
      entityType: 'document-name',
      entityId: '',
      fingerprint: expect.stringMatching(/^[\da-f]{32}$/),
      owner: '',
    },
  ])
  const current = await top(world, 'document-current')
  expect(idsOf(current).toSorted()).toEqual(['', '', 'd-1'])
  expect(current.every(({ fingerprint }) => /^[\da-f]{32}$/.test(fingerprint))).toBe(true)
  expect(idsOf(await top(world, 'auth-mfa-policy-enabled'))).toEqual(['authentication-settings'])
})

it('hides ids of derived entities that are not listed as plain', () => {
  expect(checks.filter((check) => !isPublicId(check, '1')).map(({ id }) => id)).toEqual(['document-name-unique'])
})
