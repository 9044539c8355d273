import { expect, it } from 'vitest'
import { acceptStates, saveFirstStates } from '../../src/evaluate/decisions.ts'
import { fingerprintOf } from '../../src/model/finding.ts'
import { dayMs, minuteMs } from '../../src/model/time.ts'
import { type EventKind, findingKinds, sharedChain } from '../../src/store/events.ts'
import { settings } from '../checks/support/facts.ts'
import { eraseAll } from '../support/erasure.ts'
import { type TestMirror, testMirror } from '../support/mirror.ts'
import { incomingUser } from './support/incoming-user.ts'
import { check, checkResultOf, commitResult, findingOf, resultOf } from './support/results.ts'

const start = Date.parse('2026-03-01T12:00:00Z')

/** A finding about a user, with the fingerprint that verifying computes. */
function foundOf(tenantId: number, id: number) {
  const entityId = `${tenantId}-${id}`
  const identity = { tenant: tenantId === 1 ? 'acme' : 'beta', check, entityType: 'user', entityId }
  return findingOf(entityId, { fingerprint: fingerprintOf(identity) })
}

/** Events of every kind that a tenant has. */
async function live({ mirror }: Pick<TestMirror, 'mirror'>, tenantId: number, at: number, ids: readonly number[]) {
  const ofUsers = { tenantId, resource: 'users', at, requestId: 'r', recordCreations: true } as const
  const page = (change: object) => mirror.commitPage({ ...ofUsers, items: ids.map((id) => incomingUser(id, change)) })
  await page({})
  await page({ lastName: `Name ${at}` })
  const items = [{ ok: true, record: settings(), extra: null, oddities: [] }] as const
  const whole = { startedAt: at, durationMs: 1, serverTime: at }
  await mirror.commitPage({ ...ofUsers, resource: 'authentication-settings', items, whole })
  const failing = ids.map((id) => foundOf(tenantId, id))
  const result = (found: typeof failing) =>
    commitResult(mirror, resultOf(tenantId, at, [found], { entities: 100 + (ids[0] ?? 0) }))
  await result(failing)
  await result(failing.slice(1))
  await result(failing.map((one) => ({ ...one, severity: 'low' as const })))
  const hold = { tenantId, resource: 'users', reason: 'shrink_held', count: 1, message: '', cause: {}, at } as const
  const { id: holdId } = await mirror.raiseHold({ ...hold, rids: [...ids] })
  await mirror.decide({ holdId, reason: 'Ticket 1', at })
  await mirror.applyDecision(holdId, { tenantId, at, coversKnown: false })
  await saveFirstStates(mirror, { tenantId, check, at }, [{ entityId: 'e', state: 1 }])
  await acceptStates(mirror, [{ tenantId, check, entityId: `${at}`, state: { a: 1 }, at, reason: 'Ticket 2' }])
  const terms = { id: 'w', reason: 'r', owner: 'o', terms: `t${at}` }
  const waiver = { check, entity: '*', since: at, expiresAt: at + dayMs, ...terms }
  const covered = failing[0]?.fingerprint ?? ''
  await mirror.agreeWaiver(tenantId, waiver)
  const changed = resultOf(tenantId, at, [failing.map((one) => ({ ...one, message: 'Later' }))], { entities: 7 })
  const facts = { accepted: '{}', changed: `{"at":${at}}`, ended: false }
  const lapsed = [{ fingerprint: covered, waiver: 'w', check, terms: terms.terms, entity: 'e', ...facts }]
  await mirror.saveResults(tenantId, at, { results: [{ ...(await checkResultOf(mirror, changed)), lapsed }] })
  await mirror.moveWaiver(tenantId, 'waiver.withdrawn', waiver)
  await mirror.noteTenantState(tenantId, `{"at":${at}}`, at)
}

/** Two tenants, each with the events of two rounds; tenants have ids 1 and 2. */
async function lived() {
  const test = testMirror()
  const { mirror, query } = test
  const acme = (await mirror.openTenant('acme', 'https://x', start)).tenant.id
  const beta = (await mirror.openTenant('beta', 'https://y', start)).tenant.id
  await mirror.noteConfiguration({ at: start, digest: 'd', content: '{"waivers":[]}' })
  for (const [i, at] of [start, start + minuteMs].entries()) {
    const ids = [1, 2, 3].map((id) => id + 10 * i)
    for (const tenantId of [acme, beta]) await live(test, tenantId, at, ids)
  }
  const found = async (tenantId = acme) => (await mirror.verifyChain(tenantId)).mismatches
  const kinds = async (tenantId = acme) => (await found(tenantId)).map(({ what }) => what)
  const ofChain = async (tenantId = acme) =>
    (await kinds(tenantId)).filter((what) => !/^(findings|results|lapses)_/.test(what))
  const events = (tenantId = acme) =>
    query('select * from events where tenant_id = ? order by id', tenantId) as (Record<string, unknown> & {
      id: number
    })[]
  return { ...test, acme, beta, found, kinds, ofChain, events }
}

function insert(query: TestMirror['query'], table: string, row: Readonly<Record<string, unknown>>): void {
  const columns = Object.keys(row).map((name) => `"${name}"`)
  const places = columns.map(() => '?').join(', ')
  query(`insert into ${table} (${columns.join(', ')}) values (${places}) returning tenant_id`, ...Object.values(row))
}

it('has events of every kind, and agrees with them', async () => {
  const { mirror, acme, beta, kinds, events } = await lived()
  const seen = new Set(events().map(({ kind }) => kind as EventKind))
  expect([...seen].toSorted()).toEqual([
    ...['drift.accepted', 'drift.first', 'finding.changed', 'finding.opened', 'finding.reopened', 'finding.resolved'],
    ...['hold.accepted', 'hold.applied', 'record.changed', 'record.created', 'result', 'tenant.state'],
    ...['waiver.agreed', 'waiver.lapsed', 'waiver.renewed', 'waiver.withdrawn'],
  ])
  for (const tenantId of [sharedChain, acme, beta]) expect(await kinds(tenantId)).toEqual([])
  const all = events()
  const [first, third, last] = [all[0], all[2], all.at(-1)]
  const hashes = [third?.['hash'], 'f'.repeat(64), last?.['hash']].map(String)
  expect(await mirror.verifyChain(acme, hashes)).toEqual({
    events: all.length,
    erased: 0,
    firstAt: first?.['at'],
    head: { id: last?.id, at: last?.['at'], hash: last?.['hash'] },
    heads: [
      { id: third?.id, at: third?.['at'], hash: third?.['hash'], later: all.length - 3 },
      { id: last?.id, at: last?.['at'], hash: last?.['hash'], later: 0 },
    ],
    mismatches: [],
  })
})

it('detects a change of any column of any kind of event', async () => {
  const { query, ofChain, found, events } = await lived()
  const byKind = Map.groupBy(events(), ({ kind }) => String(kind))
  for (const [kind, [event]] of byKind) {
    if (event === undefined) continue
    const { id } = event
    const texts = { kind: ['configuration'], subject: ['x'], data: ['{"x":1}', 'no JSON'], request_id: ['x'] }
    const changes = Object.entries({ at: [5], ...texts })
    for (const [column, value] of changes.flatMap(([name, values]) => values.map((one) => [name, one] as const))) {
      query(`update events set ${column} = ? where id = ? returning id`, value, id)
      expect([kind, column, (await ofChain()).at(0)]).toEqual([kind, column, 'event_changed'])
      const [mismatch] = await found()
      expect(mismatch).toMatchObject({ what: 'event_changed', id })
      query(`update events set ${column} = ? where id = ? returning id`, event[column], id)
    }
    expect(await found(), kind).toEqual([])
  }
})

it.each(['digest', 'hash'])('detects a changed %s, with or without the other', async (column) => {
  const { query, ofChain, events } = await lived()
  const [, second] = events()
  query(`update events set ${column} = 'x' where id = ? returning id`, second?.id)
  expect(await ofChain()).toEqual(
    column === 'hash' ? ['chain_broken', 'chain_broken'] : ['event_changed', 'chain_broken'],
  )
})

it('detects the first, a middle and the last event missing', async () => {
  const { query, found, events, acme, mirror } = await lived()
  const all = events()
  const ids = all.map(({ id }) => id)
  const putBack = (id = 0) => insert(query, 'events', all.find((one) => one.id === id) ?? {})
  const ofChain = async () => (await found()).filter(({ what }) => /^(chain|end)_/.test(what))
  for (const at of [0, 7]) {
    query('delete from events where id = ? returning id', ids[at])
    expect(await ofChain()).toMatchObject([{ what: 'chain_broken', id: ids[at + 1] }])
    putBack(ids[at])
  }
  query('delete from events where id = ? returning id', ids.at(-1))
  expect(await ofChain()).toMatchObject([{ what: 'end_differs', id: ids.at(-1) }])
  putBack(ids.at(-1))
  expect(await found()).toEqual([])
  query('delete from events where tenant_id = ? returning id', acme)
  expect(await ofChain()).toEqual([{ what: 'end_differs', id: ids.at(-1), at: null }])
  expect(await mirror.verifyChain(acme)).toMatchObject({ events: 0, head: null, firstAt: null })
})

it('detects events in another order, of another tenant, and inserted ones', async () => {
  const { query, ofChain, events, acme, beta } = await lived()
  const [first, second] = events().map(({ id }) => id)
  const move = (from: number | undefined, to: number) =>
    query('update events set id = ? where id = ? returning id', to, from)
  move(first, -1)
  move(second, first ?? 0)
  move(-1, second ?? 0)
  expect(await ofChain()).toContain('chain_broken')
  move(first, -1)
  move(second, first ?? 0)
  move(-1, second ?? 0)
  expect(await ofChain()).toEqual([])
  const columns = 'tenant_id, at, kind, subject, data, request_id, digest, hash'
  query(`insert into events (${columns}) select ${columns} from events where id = ? returning id`, first)
  expect(await ofChain()).toEqual(['chain_broken', 'end_differs'])
  query('delete from events where id > ? returning id', events(beta).at(-1)?.id)
  expect(await ofChain()).toEqual([])
  query('update events set tenant_id = ? where id = ? returning id', beta, first)
  expect(await ofChain(beta)).toContain('event_changed')
  expect(await ofChain(acme)).toEqual(['chain_broken'])
})

it('detects a chain that was recomputed as a whole only by a head that was kept', async () => {
  const { mirror, query, acme, kinds } = await lived()
  const kept = String((await mirror.verifyChain(acme)).head?.hash)
  query('delete from events where tenant_id = ? returning id', acme)
  query('delete from event_chains where tenant_id = ? returning hash', acme)
  query('delete from findings where tenant_id = ? returning id', acme)
  query('delete from check_states where tenant_id = ? returning open', acme)
  await mirror.noteTenantState(acme, '{}', start)
  expect(await kinds()).toEqual([])
  expect(await mirror.verifyChain(acme, [kept])).toMatchObject({ events: 1, heads: [] })
})

const where = 'where fingerprint = ? returning id'
it.each<readonly [what: string, text: string]>([
  ['findings_missing', `delete from findings ${where}`],
  ...[
    ...["severity = 'info'", "message = 'All is well'", "evidence = '{}'", "evidence = 'x'", "entity_id = '1-99'"],
    ...['first_seen_at = first_seen_at - 1', 'reopened = 7', `"check" = 'user-role-active'`],
    "resolved_at = last_seen_at, resolution = 'fixed'",
  ].map((change) => ['findings_changed', `update findings set ${change} ${where}`] as const),
  [
    'findings_inserted',
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence,
       digest, first_seen_at, last_seen_at) select 'x', tenant_id, "check", entity_type, entity_id, severity, message, evidence,
       digest, first_seen_at, last_seen_at from findings ${where}`,
  ],
])('detects findings that do not agree with their events: %s', async (what, text) => {
  const { query, acme, found, kinds, beta } = await lived()
  const { fingerprint } = foundOf(acme, 12)
  const [row = {}] = query('select * from findings where fingerprint = ?', fingerprint)
  query(text, fingerprint)
  expect(await found()).toEqual([{ what, count: 1, first: what === 'findings_inserted' ? 'x' : fingerprint }])
  expect(await kinds(beta)).toEqual([])
  // The counts that the mirror keeps are compared when the test ends.
  query(`delete from findings where fingerprint in (?, 'x') returning id`, fingerprint)
  insert(query, 'findings', row)
})

it.each<readonly [change: string, what: string | null]>([
  ...[
    ...["status = 'pass'", `open = '{"low":1}'`, 'entities = 5', 'not_evaluated = 7', "reason = 'stale'", "rule = 'x'"],
    'since = since - 1',
  ].map((change) => [change, 'results_changed'] as const),
  ['evaluated_at = evaluated_at + 1', null],
])('compares check results with their last event: %s', async (change, what) => {
  const { query, acme, beta, found, kinds } = await lived()
  const [row] = query('select open from check_states where tenant_id = ?', acme)
  query(`update check_states set ${change} where tenant_id = ? returning status`, acme)
  expect(await found()).toEqual(what === null ? [] : [{ what, count: 1, first: check }])
  expect(await kinds(beta)).toEqual([])
  query('update check_states set open = ? where tenant_id = ? returning status', row?.['open'], acme)
})

it('compares check results with their last event: one that was deleted', async () => {
  const { query, acme, beta, found, kinds } = await lived()
  const [row = {}] = query('select * from check_states where tenant_id = ?', acme)
  query('delete from check_states where tenant_id = ? returning status', acme)
  expect(await found()).toEqual([{ what: 'results_missing', count: 1, first: check }])
  expect(await kinds(beta)).toEqual([])
  insert(query, 'check_states', row)
})

it('covers the configuration by the chains of all tenants', async () => {
  const { mirror, query, acme, beta, kinds } = await lived()
  await mirror.noteConfiguration({ at: start + 2 * minuteMs, digest: 'e', content: '{"waivers":[1]}' })
  for (const tenantId of [acme, beta]) await mirror.noteTenantState(tenantId, '{}', start + 2 * minuteMs)
  for (const tenantId of [sharedChain, acme, beta]) expect(await kinds(tenantId)).toEqual([])
  query('delete from events where tenant_id = ? returning id', sharedChain)
  query('delete from event_chains where tenant_id = ? returning hash', sharedChain)
  expect(await kinds(sharedChain)).toEqual([])
  for (const tenantId of [acme, beta])
    expect(await kinds(tenantId)).toEqual(['configuration_missing', 'configuration_missing'])
})

it('finds events whose tenant was removed or renumbered by hand, and none after a purge', async () => {
  const { mirror, query, beta, found, kinds } = await lived()
  await mirror.purgeTenant(beta)
  expect(await kinds(sharedChain)).toEqual([])
  query('update tenants set id = 77 where id = 1 returning id')
  expect(await found(sharedChain)).toMatchObject([{ what: 'tenant_missing', tenantId: 1 }])
})

it('goes on after an erasure, which keeps the digests and what is in force', async () => {
  const { mirror, query, acme, beta, events, kinds } = await lived()
  const before = events()
  await eraseAll(mirror, start + 30_000)
  const after = events()
  expect(after.at(-1)).toMatchObject({ kind: 'history.erased', data: `{"before":${start + 30_000}}` })
  expect(after.slice(0, -1).map(({ digest, hash, id }) => [digest, hash, id])).toEqual(
    before.map(({ digest, hash, id }) => [digest, hash, id]),
  )
  const erased = after.filter(({ data }) => data === null)
  expect(new Set(erased.map(({ kind }) => kind))).toEqual(
    new Set(['record.created', 'record.changed', 'result', ...findingKinds]),
  )
  for (const row of erased) expect(row).toMatchObject({ request_id: null, at: start })
  for (const tenantId of [sharedChain, acme, beta]) expect(await kinds(tenantId)).toEqual([])
  expect(await mirror.verifyChain(acme, [String(before[3]?.['hash'])])).toMatchObject({
    events: after.length,
    erased: erased.length,
    heads: [{ id: before[3]?.id }],
  })
  await live({ mirror }, acme, start + 2 * minuteMs, [31])
  expect(await kinds()).toEqual([])
  const last = events().at(-1)
  query('update events set data = null where id = ? returning id', last?.id)
  expect(await kinds()).toEqual(['erased_early'])
})

it.each([
  ['a recent event, dated back', `kind = 'record.changed'`],
  ['a recent decision, dated back', `kind = 'drift.accepted'`],
])('detects that somebody emptied what no retention reached: %s', async (_, which) => {
  const { mirror, query, acme, events, kinds } = await lived()
  await eraseAll(mirror, start + 30_000)
  const kept = String((await mirror.verifyChain(acme)).head?.hash)
  const recent = events().findLast(({ kind, data }) => which.includes(String(kind)) && data !== null)
  expect(recent).toMatchObject({ at: start + minuteMs })
  query('update events set data = null, request_id = null, at = ? where id = ? returning id', start, recent?.id)
  expect((await mirror.verifyChain(acme, [kept])).heads).toHaveLength(1)
  expect(await kinds()).not.toEqual([])
})

it.each([
  ...["kind = 'tenant.state'", "kind = 'waiver.agreed'", "kind = 'waiver.withdrawn'", "kind = 'finding.changed'"],
  ...["kind = 'drift.accepted'", "kind = 'result'", "kind = 'configuration'"],
  "subject like 'authentication-settings/%'",
])('detects that an event was emptied that is still in force, or never erased: %s', async (which) => {
  const { mirror, query, acme, kinds } = await lived()
  await eraseAll(mirror, start + 30_000)
  const chain = which.includes('configuration') ? sharedChain : acme
  expect(await kinds(chain)).toEqual([])
  const [old] = query(`select id from events where tenant_id = ? and data is not null and ${which} order by id`, chain)
  query('update events set data = null, request_id = null where id = ? returning id', old?.['id'])
  expect(await kinds(chain)).toEqual(['erased_early'])
})
