import { expect, it } from 'vitest'
import { fingerprintOf } from '../../src/model/finding.ts'
import { readLife } from '../../src/report/life.ts'
import { withoutDetails, withoutNames } from '../../src/resources/redact-finding.ts'
import { client, iso, now, settings, user } from '../checks/support/facts.ts'
import { eraseAll } from '../support/erasure.ts'
import { sqliteWorld, waiver } from './support/sqlite-world.ts'

const mfa = 'user-mfa-enrolled'
const expired = 'api-client-secret-not-expired'
const somebodyElse = { email: 'bob@example.com', firstName: 'Bob', createdAt: iso(now - 60_000) }

/** Ada's finding, which a waiver accepts. */
async function accepted(fields: Record<string, unknown> = {}) {
  const world = await sqliteWorld()
  const users = [user({ mfaStatus: false, ...fields })]
  await world.sync({ 'authentication-settings': [settings()], users })
  world.waivers = [waiver()]
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({ high: 1 })
  return world
}

type World = Awaited<ReturnType<typeof accepted>>

const fingerprint = fingerprintOf({ tenant: 'acme', check: mfa, entityType: 'user', entityId: '1' })

async function lifeOf(world: World): Promise<string[]> {
  const finding = (await world.findings(mfa, ['open', 'waived', 'resolved'])).find(
    (one) => one.fingerprint === fingerprint,
  )
  if (finding === undefined) throw new Error('There is no such finding')
  const events = await readLife(world.mirror, world.tenantId, finding, true)
  return events.map(({ event, resolution }) => (resolution === null ? event : `${event} ${resolution}`))
}

it.each([
  ['', {}],
  [' without e-mails', { email: null }],
])(
  'ends the waiver, resolves the finding and opens a new one when a user id is reassigned%s',
  async (_case, fields) => {
    const world = await accepted(fields)
    await world.sync({ users: [user({ mfaStatus: false, ...somebodyElse, ...fields })] })
    await world.evaluate()
    expect(await world.counts(mfa)).toMatchObject({ open: { high: 1 }, waived: {} })
    const [finding] = await world.findings(mfa)
    expect(finding).toMatchObject({
      state: 'open',
      firstSeen: iso(world.now),
      reopened: 0,
      waiver: { state: 'lapsed' },
    })
    expect(finding?.waiver?.explanation).toContain('identity.createdAt')
    expect(await lifeOf(world)).toEqual(['opened', 'resolved entity_removed', 'opened'])
  },
)

it('does the same when the id is reassigned after its owner was removed, and the waiver renewed meanwhile', async () => {
  const world = await accepted()
  await world.sync({ users: [] })
  await world.evaluate()
  world.waivers = [waiver({ reason: 'Renewed for a year, as all of them' })]
  await world.evaluate()
  await world.sync({ users: [user({ mfaStatus: false, ...somebodyElse })] })
  await world.evaluate()
  expect((await world.findings(mfa))[0]).toMatchObject({ state: 'open', firstSeen: iso(world.now), reopened: 0 })
})

it.each([
  ['lapsed', [{ mfaStatus: false, ...somebodyElse }, somebodyElse]],
  ['covered it', [{}]],
])('covers nobody else after the finding is erased for which the waiver %s', async (_what, lives) => {
  const world = await accepted()
  for (const fields of lives) {
    await world.sync({ users: [user(fields)] })
    await world.evaluate()
  }
  await eraseAll(world.mirror, world.now + 1)
  await world.sync({ users: [user({ mfaStatus: false, ...somebodyElse })] })
  await world.evaluate()
  expect(await world.counts(mfa)).toMatchObject({ open: { high: 1 }, waived: {} })
})

it('resolves the finding as entity_removed when the new owner of the id does not fail', async () => {
  const world = await accepted()
  await world.sync({ users: [user({ mfaStatus: true, ...somebodyElse })] })
  await world.evaluate()
  expect(await lifeOf(world)).toEqual(['opened', 'resolved entity_removed'])
})

it('ends the waiver, but not the finding, of a user whose e-mail changes', async () => {
  const world = await accepted()
  const [before] = await world.findings(mfa)
  await world.sync({ users: [user({ mfaStatus: false, email: 'ada.king@example.com' })] })
  await world.evaluate()
  const [finding] = await world.findings(mfa)
  const explanation = 'waiver lapsed: the accepted facts changed (the e-mail address changed)'
  expect(finding).toMatchObject({ firstSeen: before?.firstSeen, waiver: { state: 'lapsed', explanation } })
  expect(await lifeOf(world)).toEqual(['opened', 'changed'])
})

it.each([
  ['whose creation comes without a fraction', { createdAt: '2026-01-05T09:12:35Z' }, ['opened']],
  ['whose creation comes with an offset', { createdAt: '2026-01-05T10:12:35.1234567+01:00' }, ['opened']],
  ['whose creation activation writes again', { createdAt: iso(now - 60_000) }, ['opened', 'changed']],
  ['whose e-mail comes in other letters', { email: 'ADA@Example.com' }, ['opened']],
])('keeps the finding and the waiver of a user %s', async (_case, fields, life) => {
  const world = await accepted({ createdAt: '2026-01-05T09:12:35.774Z' })
  const [before] = await world.findings(mfa)
  await world.sync({ users: [user({ mfaStatus: false, createdAt: '2026-01-05T09:12:35.774Z', ...fields })] })
  await world.evaluate()
  expect((await world.counts(mfa)).waived).toEqual({ high: 1 })
  expect((await world.findings(mfa))[0]).toMatchObject({ firstSeen: before?.firstSeen, reopened: 0 })
  expect(await lifeOf(world)).toEqual(life)
})

it('keeps the finding and the waiver of a client with any notation of its times, and of no other one', async () => {
  const world = await sqliteWorld()
  const secret = { secretExpirationDate: '2026-02-03T09:12:35.774Z', createdAt: '2026-01-05T09:12:35.774Z' }
  await world.sync({ 'api-clients': [client(secret)] })
  world.waivers = [waiver({ check: expired, entity: '*' })]
  await world.evaluate()
  const [before] = await world.findings(expired)
  const times = { secretExpirationDate: '2026-02-03T09:12:35+00:00', createdAt: '2026-01-05T10:12:35+01:00' }
  await world.sync({ 'api-clients': [client(times)] })
  await world.evaluate()
  expect((await world.counts(expired)).waived).toEqual({ critical: 1 })
  expect((await world.findings(expired))[0]).toMatchObject({ firstSeen: before?.firstSeen, reopened: 0 })
  await world.sync({ 'api-clients': [client({ ...times, createdAt: '2026-01-05T10:12:36+01:00' })] })
  await world.evaluate()
  expect(await world.counts(expired)).toMatchObject({ open: { critical: 1 }, waived: {} })
})

it('keeps the e-mail out of data that outlives its erasure', async () => {
  const world = await accepted()
  await world.sync({ users: [user({ mfaStatus: false, ...somebodyElse })] })
  await world.evaluate()
  const outliving = ['findings', `events where kind not like 'record.%'`]
  for (const table of outliving)
    expect(JSON.stringify(world.query(`select * from ${table}`))).not.toMatch(/@example\.com|Ada|Bob/)
  const [finding] = await world.findings(mfa)
  if (finding === undefined) throw new Error('There is no finding')
  expect(JSON.stringify(finding.evidence)).toMatch(/"emailDigest":"[\da-f]{16}"/)
  const { emailDigest } = finding.evidence['identity'] as Readonly<Record<string, unknown>>
  expect(JSON.stringify(withoutDetails(finding))).not.toContain(emailDigest)
  const ofClient = { identity: { createdAt: '2026-03-01T11:59:00.000Z' } }
  expect(withoutDetails({ ...finding, evidence: ofClient }).evidence).toEqual(ofClient)
  expect(withoutNames({ ...ofClient, identity: 'Ada' })).toEqual({ identity: '[hidden]' })
})

it('shows the finding of a past time with the time it was first seen then', async () => {
  const world = await accepted()
  const before = world.now
  const firstSeen = (await world.findings(mfa))[0]?.firstSeen
  await world.sync({ users: [user({ mfaStatus: false, ...somebodyElse })] })
  await world.evaluate()
  const past = await world.mirror.past(before, false)
  const found: string[] = []
  for await (const batch of past.findings({ check: mfa })) for (const row of batch) found.push(iso(row.firstSeenAt))
  expect(found).toEqual([firstSeen])
})
