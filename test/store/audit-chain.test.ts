import { getTableColumns, getTableName } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../src/model/durations.ts'
import { fingerprintOf } from '../../src/model/finding.ts'
import { type AuditLog, auditLogNames, auditLogs, sharedChain, tenantLogs } from '../../src/store/audit/logs.ts'
import * as schema from '../../src/store/schema/index.ts'
import { type TestMirror, testMirror } from '../support/mirror.ts'
import { onPostgres } from '../support/test-database.ts'
import { incomingUser } from './support/incoming-user.ts'
import { check, commitResult, findingOf, resultOf } from './support/results.ts'

const start = Date.parse('2026-03-01T12:00:00Z')
const tables = Object.values(schema).filter((table) => getTableName(table) in auditLogs)
const logs = tables.filter((table) => getTableName(table) !== 'configurations')

/** A finding about a user, with the fingerprint that verifying computes. */
function foundOf(tenantId: number, id: number) {
  const entityId = `${tenantId}-${id}`
  const identity = { tenant: tenantId === 1 ? 'acme' : 'beta', check, entityType: 'user', entityId }
  return findingOf(entityId, { fingerprint: fingerprintOf(identity) })
}

/** Adds rows to every log of a tenant. */
async function live({ mirror }: Pick<TestMirror, 'mirror'>, tenantId: number, at: number, ids: readonly number[]) {
  const items = ids.map((id) => incomingUser(id))
  await mirror.commitPage({ tenantId, resource: 'users', items, at, requestId: 'r', recordCreations: true })
  const failing = [ids.map((id) => foundOf(tenantId, id))]
  await commitResult(mirror, resultOf(tenantId, at, failing, { entities: 100 + (ids[0] ?? 0) }))
  const hold = { tenantId, resource: 'users', reason: 'shrink_held', count: 1, message: '', cause: {}, at } as const
  const { id: holdId } = await mirror.raiseHold({ ...hold, rids: [...ids] })
  await mirror.decide({ holdId, reason: 'Ticket 1', at })
  await mirror.acceptStates([{ tenantId, check, entityId: `${at}`, state: { a: 1 }, at, reason: 'Ticket 2' }])
  const waiver = { id: `w${at}`, check, entity: '*', entityKey: '*', terms: 't', since: at, expiresAt: at + dayMs }
  await mirror.agreeWaiver(tenantId, waiver, [])
  await mirror.noteTenantState(tenantId, `{"at":${at}}`, at)
}

/** Two tenants with rows of two evaluations, which are sealed. */
async function sealed() {
  const test = testMirror()
  const { mirror, query } = test
  const acme = (await mirror.openTenant('acme', 'https://x', start)).tenant.id
  const beta = (await mirror.openTenant('beta', 'https://y', start)).tenant.id
  for (const [i, at] of [start, start + minuteMs].entries()) {
    for (const tenantId of [acme, beta]) {
      await live(
        test,
        tenantId,
        at,
        [1, 2, 3].map((id) => id + 10 * i),
      )
      await mirror.seal(tenantId, at)
    }
  }
  const kinds = async (tenantId = acme, heads: readonly string[] = []) =>
    (await mirror.verifyChain(tenantId, heads)).mismatches.map((one) =>
      'log' in one ? `${one.log} ${one.what}` : one.what,
    )
  const entries = () => query('select tenant_id as tenant, sequence, log, hash from audit_chain order by 1, 2')
  const idsOf = (log: string) =>
    query(`select id from ${log} where tenant_id = ? order by id`, acme).map(({ id }) => Number(id))
  return { ...test, acme, beta, kinds, entries, idsOf }
}

it('covers every column of a log except those that are written later', () => {
  const later = { check_status_changes: ['confirmed_at', 'valid_until'], decisions: ['applied_at'] }
  const columns = tables.map((table) => {
    const name = getTableName(table) as AuditLog
    const left = Object.values(getTableColumns(table)).map((column) => column.name)
    const covered: readonly string[] = auditLogs[name]
    return [name, left.filter((column) => !['id', 'tenant_id', ...covered].includes(column))]
  })
  expect(columns.map(([name]) => name).toSorted()).toEqual(auditLogNames)
  expect(Object.fromEntries(columns.filter(([, left]) => left?.length))).toEqual(later)
})

it('seals the new rows of every log once, and writes nothing without new rows', async () => {
  const test = await sealed()
  const { mirror, acme, beta, kinds, entries } = test
  const before = entries()
  expect(before.map(({ tenant, sequence, log }) => [tenant, sequence, log])).toEqual(
    [acme, beta].flatMap((tenant) => [...tenantLogs, ...tenantLogs].map((log, i) => [tenant, i + 1, log])),
  )
  await mirror.seal(acme, start + 2 * minuteMs)
  expect(entries()).toEqual(before)
  expect(await kinds()).toEqual([])
  const found = await mirror.verifyChain(acme, [String(before[3]?.['hash']), 'f'.repeat(64)])
  const rows = test.idsOf('changes').length + test.idsOf('finding_events').length + 2 + 2 + 2 + 2 + 2
  expect(found).toMatchObject({
    entries: 14,
    rows,
    erased: 0,
    unsealed: 0,
    firstAt: start,
    heads: [{ sequence: 4, at: start, hash: before[3]?.['hash'] }],
  })
  expect(found.head).toEqual({ sequence: 14, at: start + minuteMs, hash: before[13]?.['hash'] })
})

it('finds a chain whose tenant was removed or renumbered by hand, and none after a purge', async () => {
  const { mirror, beta, kinds, query } = await sealed()
  expect(await kinds(sharedChain)).toEqual([])
  await mirror.purgeTenant(beta)
  expect(await kinds(sharedChain)).toEqual([])
  query('update tenants set id = 77 returning id')
  expect(await kinds(sharedChain)).toEqual(['tenant_missing'])
})

it('counts rows that are not sealed yet', async () => {
  const test = await sealed()
  await test.mirror.acceptStates([
    { tenantId: test.acme, check, entityId: 'x', state: 1, at: start, reason: 'Ticket 3' },
  ])
  expect(await test.mirror.verifyChain(test.acme)).toMatchObject({ unsealed: 1, mismatches: [] })
  await test.mirror.seal(test.acme, start + 2 * minuteMs)
  expect(await test.mirror.verifyChain(test.acme)).toMatchObject({ unsealed: 0, entries: 15, mismatches: [] })
})

it('detects a change of any covered column', async () => {
  const { query, kinds, acme, idsOf } = await sealed()
  for (const table of logs) {
    const log = getTableName(table) as AuditLog
    const id = idsOf(log)[0]
    for (const column of Object.values(getTableColumns(table))) {
      if (!(auditLogs[log] as readonly string[]).includes(column.name)) continue
      const name = `"${column.name}"`
      const [row] = query(`select ${name} as value from ${log} where id = ?`, id)
      const other = column.dataType === 'number' ? `coalesce(${name}, 0) + 1` : `coalesce(${name}, '') || 'x'`
      query(`update ${log} set ${name} = ${other} where id = ? returning id`, id)
      const ofChain = (await kinds(acme)).filter((kind) => !/^(findings|results)_/.test(kind))
      expect([column.name, ofChain]).toEqual([column.name, [`${log} rows_changed`]])
      query(`update ${log} set ${name} = ? where id = ? returning id`, row?.['value'], id)
    }
  }
  expect(await kinds(acme)).toEqual([])
})

it('accepts what is written later: the end of a check result and the application of a decision', async () => {
  const { query, kinds } = await sealed()
  query('update check_status_changes set confirmed_at = 5, valid_until = 6 returning id')
  query('update decisions set applied_at = 7 returning id')
  expect(await kinds()).toEqual([])
})

it('detects rows that are missing in the middle and at the end of each log', async () => {
  const { query, kinds, idsOf } = await sealed()
  const expected: string[] = []
  for (const log of tenantLogs) {
    for (const end of [0, -1]) {
      query(`delete from ${log} where id = ? returning id`, idsOf(log).at(end))
      expected.push(`${log} rows_missing`)
      expect((await kinds()).filter((kind) => !/^(findings|results)_/.test(kind))).toEqual(expected)
    }
  }
})

it('detects a row that was moved from another tenant, in both of them', async () => {
  const { query, kinds, acme, beta } = await sealed()
  const [row] = query('select min(id) as id from changes where tenant_id = ?', beta)
  query('update changes set tenant_id = ? where id = ? returning id', acme, row?.['id'])
  expect(await kinds(acme)).toEqual(['changes rows_inserted'])
  expect(await kinds(beta)).toEqual(['changes rows_missing'])
})

it('names the entry, its time and the ids of rows that differ', async () => {
  const { mirror, query, acme, idsOf } = await sealed()
  const ids = idsOf('finding_events')
  query(`update finding_events set message = 'x' where id = ? returning id`, ids[4])
  expect((await mirror.verifyChain(acme)).mismatches).toEqual([
    {
      what: 'rows_changed',
      ...{ sequence: 12, at: start + minuteMs, log: 'finding_events' },
      ...{ firstId: ids[3], lastId: ids.at(-1), sealed: ids.length - 3, found: ids.length - 3 },
    },
    { what: 'findings_changed', count: 1, fingerprint: expect.any(String) },
  ])
})

it.each([
  ['an hour and more before rows were sealed without them', 3 * hourMs - 1, 5 * hourMs, true],
  ['less than an hour before, as those of a long run may', 3 * hourMs, 5 * hourMs, false],
  ['after a clock that was ahead, and sealed before that time', 2 * hourMs, 3.5 * hourMs, false],
  ['by a clock that was set back, which dates their entry, too', 2 * hourMs, 2 * hourMs, false],
])('detects rows that are dated %s', async (_, written, sealedAt, isDetected) => {
  const { mirror, acme, kinds } = await sealed()
  await live({ mirror }, acme, start + 4 * hourMs, [21])
  await mirror.seal(acme, start + 4 * hourMs)
  await live({ mirror }, acme, start + written, [31])
  expect(await kinds()).toEqual([])
  await mirror.seal(acme, start + sealedAt)
  expect(await kinds()).toEqual(isDetected ? tenantLogs.map((log) => `${log} rows_backdated`).toSorted() : [])
  const [first] = (await mirror.verifyChain(acme)).mismatches
  const times = { at: start + sealedAt, firstAt: start + written, sealedBefore: start + 4 * hourMs }
  if (isDetected) expect(first).toMatchObject({ what: 'rows_backdated', count: 1, ...times })
  // What is sealed later is not compared with it.
  await live({ mirror }, acme, start + 6 * hourMs, [41])
  await mirror.seal(acme, start + 6 * hourMs)
  expect(await kinds()).toHaveLength(isDetected ? tenantLogs.length : 0)
})

it('detects entries that were changed, removed or moved', async () => {
  const { query, kinds, acme } = await sealed()
  query('update audit_chain set at = at + 1 where tenant_id = ? and sequence = 3 returning at', acme)
  expect(await kinds()).toEqual(['entry_changed'])
  query('update audit_chain set at = at - 1 where tenant_id = ? and sequence = 3 returning at', acme)
  query('update audit_chain set sealed_to = 0 where tenant_id = ? and sequence = 14 returning at', acme)
  expect(await kinds()).toEqual(['entry_changed'])
  query('delete from audit_chain where tenant_id = ? and sequence between 1 and 2 returning at', acme)
  expect(await kinds()).toContain('entries_missing')
})

it('detects a chain that was recomputed, and one that was cut off, only by a head that was kept', async () => {
  const { mirror, query, acme, kinds } = await sealed()
  const kept = String((await mirror.verifyChain(acme)).head?.hash)
  query(`update changes set "after" = '"x"' where tenant_id = ? returning id`, acme)
  query('delete from audit_chain where tenant_id = ? returning at', acme)
  expect(await mirror.verifyChain(acme, [kept])).toMatchObject({ entries: 0, heads: [], mismatches: [] })
  await mirror.seal(acme, start + minuteMs)
  expect(await kinds()).toEqual([])
  expect(await mirror.verifyChain(acme, [kept])).toMatchObject({ entries: 7, heads: [], unsealed: 0 })
})

it('detects rows whose entries were removed, once an evaluation should have sealed them', async () => {
  const { mirror, query, acme, kinds } = await sealed()
  query('delete from audit_chain where tenant_id = ? and sequence > 7 returning at', acme)
  expect(await kinds()).toEqual([])
  await commitResult(mirror, resultOf(acme, start + 2 * hourMs, [[foundOf(acme, 11)]]))
  expect((await kinds()).toSorted()).toEqual(tenantLogs.map((log) => `${log} rows_not_sealed`))
  await mirror.seal(acme, start + 2 * hourMs)
  expect(await kinds()).toEqual([])
})

it.each([
  ['findings_missing', 'delete from findings where fingerprint = ? returning id'],
  ['findings_changed', `update findings set severity = 'low' where fingerprint = ? returning id`],
  ['findings_changed', `update findings set message = 'All is well' where fingerprint = ? returning id`],
  ['findings_changed', `update findings set evidence = '{}' where fingerprint = ? returning id`],
  ['findings_changed', `update findings set first_seen_at = first_seen_at - 1 where fingerprint = ? returning id`],
  ['findings_changed', `update findings set reopened = 1 where fingerprint = ? returning id`],
  ['findings_changed', `update findings set entity_id = '1-99' where fingerprint = ? returning id`],
  ['findings_changed', `update findings set "check" = 'user-role-active' where fingerprint = ? returning id`],
  [
    'findings_changed',
    `update findings set resolved_at = last_seen_at, resolution = 'fixed' where fingerprint = ? returning id`,
  ],
  [
    'findings_inserted',
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence,
       digest, first_seen_at, last_seen_at) select 'x', tenant_id, "check", entity_type, entity_id, severity, message, evidence,
       digest, first_seen_at, last_seen_at from findings where fingerprint = ? returning id`,
  ],
])('detects findings that do not agree with their events: %s', async (what, text) => {
  const { mirror, query, acme, kinds } = await sealed()
  const { fingerprint } = foundOf(acme, 12)
  const [row = {}] = query('select * from findings where fingerprint = ?', fingerprint)
  query(text, fingerprint)
  expect(await kinds()).toEqual([what])
  const [mismatch] = (await mirror.verifyChain(acme)).mismatches
  expect(mismatch).toEqual({ what, count: 1, fingerprint: what === 'findings_inserted' ? 'x' : fingerprint })
  // The counts that the mirror keeps are compared when the test ends.
  query(`delete from findings where fingerprint in (?, 'x') returning id`, fingerprint)
  const columns = Object.keys(row).map((name) => `"${name}"`)
  const values = columns.map(() => '?').join(', ')
  query(`insert into findings (${columns.join(', ')}) values (${values}) returning id`, ...Object.values(row))
})

it('seals the configuration in a chain of its own, whose heads the chains of all tenants state', async () => {
  const { mirror, query, acme, beta, kinds } = await sealed()
  const note = async (digest: string, at: number) => {
    await mirror.noteConfiguration({ at, digest, content: `{"waivers":["${digest}"]}` })
    for (const tenantId of [sharedChain, acme, beta]) await mirror.seal(tenantId, at)
  }
  await note('a', start + minuteMs)
  await note('b', start + 2 * minuteMs)
  await mirror.seal(acme, start + 3 * minuteMs)
  expect(
    query(`select tenant_id as tenant, sequence, log from audit_chain where log = 'configurations' order by 1, 2`),
  ).toEqual(
    [
      [sharedChain, 1],
      [sharedChain, 2],
      [acme, 15],
      [acme, 16],
      [beta, 15],
      [beta, 16],
    ].map(([tenant, sequence]) => ({ tenant, sequence, log: 'configurations' })),
  )
  for (const tenantId of [sharedChain, acme, beta]) expect(await kinds(tenantId)).toEqual([])
  const other = onPostgres ? "decode('00', 'hex')" : "x'00'"
  query(`update configurations set content = ${other} where digest = 'a' returning id`)
  expect(await kinds(sharedChain)).toEqual(['configurations rows_changed'])
  query('delete from audit_chain where tenant_id = ? returning id', sharedChain)
  await mirror.seal(sharedChain, start + 3 * minuteMs)
  expect(await kinds(sharedChain)).toEqual([])
  expect(await kinds(acme)).toEqual(['configuration_chain_changed', 'configuration_chain_changed'])
})

it('detects a configuration that was inserted into the past, by what evaluations of tenants sealed since', async () => {
  const { mirror, acme, kinds } = await sealed()
  const note = async (at: number) => mirror.noteConfiguration({ at, digest: `d${at}`, content: `{"at":${at}}` })
  await note(start + minuteMs)
  await mirror.seal(sharedChain, start + minuteMs)
  await live({ mirror }, acme, start + 5 * hourMs, [21])
  await mirror.seal(acme, start + 5 * hourMs)
  await note(start + 3 * hourMs)
  await mirror.seal(sharedChain, start + 6 * hourMs)
  const times = { firstAt: start + 3 * hourMs, sealedBefore: start + 5 * hourMs, at: start + 6 * hourMs }
  const found = { what: 'rows_backdated', log: 'configurations', sequence: 2, count: 1, ...times }
  expect((await mirror.verifyChain(sharedChain)).mismatches).toEqual([found])
  // Noted before its evaluation, however long that took.
  await note(start + 7 * hourMs)
  await mirror.seal(sharedChain, start + 20 * hourMs)
  expect(await kinds(sharedChain)).toHaveLength(1)
})

it('goes on after retention erased configurations', async () => {
  const { mirror, query, acme, beta, kinds } = await sealed()
  await mirror.eraseOutdated({ before: new Map([[acme, start - dayMs]]), now: start })
  for (const [i, digest] of ['a', 'b', 'c'].entries()) {
    await mirror.noteConfiguration({ at: start + i * minuteMs, digest, content: '{}' })
    await mirror.seal(sharedChain, start + i * minuteMs)
  }
  await mirror.eraseOutdated({
    ...erasure(acme),
    before: new Map([acme, beta].map((id) => [id, start + 2 * minuteMs])),
  })
  expect(query('select digest from configurations order by id')).toEqual([{ digest: 'b' }, { digest: 'c' }])
  for (const tenantId of [sharedChain, acme, beta]) expect(await kinds(tenantId)).toEqual([])
})

/** An erasure of what is older than two minutes after the start, so that it cuts through no row of later times. */
const erasure = (acme: number, before = start + 2 * minuteMs) => ({
  before: new Map([[acme, before]]),
  now: start + 400 * dayMs,
})

/** As `sealed`, and two of six finding events of an entry are to be erased, because their finding was resolved. */
async function outdated() {
  const test = await sealed()
  const { mirror, acme } = test
  await mirror.eraseOutdated({ before: new Map([[acme, start - dayMs]]), now: start })
  const at = start + 300 * dayMs
  await commitResult(mirror, resultOf(acme, at, [[foundOf(acme, 13)]], { entities: 10 }))
  await mirror.seal(acme, at)
  return { ...test, before: (await mirror.verifyChain(acme)).entries }
}

it('goes on after retention erased rows of an entry, and states which digests are replaced', async () => {
  const { mirror, acme, query, kinds, idsOf, before } = await outdated()
  const ids = idsOf('changes')
  await mirror.eraseOutdated(erasure(acme))
  expect(idsOf('changes').length).toBeLessThan(ids.length)
  expect(await kinds()).toEqual([])
  const found = await mirror.verifyChain(acme)
  expect(found.entries).toBeGreaterThan(before)
  expect(found.erased).toBeGreaterThan(0)
  expect(
    query("select replaces, differs from audit_chain where log = 'changes' order by at desc, sequence desc limit 1"),
  ).toEqual([{ replaces: 2, differs: 0 }])
  await mirror.eraseOutdated(erasure(acme))
  expect((await mirror.verifyChain(acme)).entries).toBe(found.entries)
})

it('detects a change of a row that retention left', async () => {
  const { mirror, acme, query, kinds, idsOf } = await outdated()
  await mirror.eraseOutdated(erasure(acme))
  query(`update check_status_changes set status = 'pass' where id = ? returning id`, idsOf('check_status_changes')[0])
  expect(await kinds()).toEqual(['check_status_changes rows_changed'])
})

it.each([
  ['change', `update changes set "before" = 'x' where id = ? returning id`],
  ['removal', 'delete from changes where id = ? returning id'],
])('does not let an erasure hide the %s of a row before it', async (_, text) => {
  const { mirror, acme, query, kinds, idsOf } = await outdated()
  query(text, idsOf('changes')[0])
  await mirror.eraseOutdated(erasure(acme))
  expect(idsOf('changes')).toEqual([])
  expect(await kinds()).toEqual(['changes differed_at_erasure'])
  await live({ mirror }, acme, start + 401 * dayMs, [31])
  await mirror.seal(acme, start + 401 * dayMs)
  expect(await kinds()).toEqual(['changes differed_at_erasure'])
})

it('does not take the removal of an old entry and its rows for an erasure', async () => {
  const { query, kinds, idsOf } = await sealed()
  for (const id of idsOf('changes').slice(0, 3)) query('delete from changes where id = ? returning id', id)
  expect(await kinds()).toEqual(['changes rows_missing'])
})

it('seals rows that have the ids of erased ones', async () => {
  const { mirror, acme, beta, kinds, idsOf } = await outdated()
  await mirror.purgeTenant(beta)
  await mirror.eraseOutdated(erasure(acme))
  expect(idsOf('changes')).toEqual([])
  await live({ mirror }, acme, start + 401 * dayMs, [31])
  expect((await mirror.verifyChain(acme)).unsealed).toBeGreaterThan(0)
  await mirror.seal(acme, start + 401 * dayMs)
  expect(await mirror.verifyChain(acme)).toMatchObject({ unsealed: 0, mismatches: [] })
  await mirror.eraseOutdated(erasure(acme, start + 402 * dayMs))
  expect(await kinds()).toEqual([])
})

it('leaves rows that an erasure erased before they were sealed', async () => {
  const { mirror, acme, kinds } = await sealed()
  await mirror.eraseOutdated({ before: new Map([[acme, start - dayMs]]), now: start })
  await live({ mirror }, acme, start + 90_000, [21])
  await mirror.eraseOutdated(erasure(acme))
  expect(await kinds()).toEqual([])
  await mirror.seal(acme, start + 401 * dayMs)
  expect(await mirror.verifyChain(acme)).toMatchObject({ unsealed: 0, mismatches: [] })
})

it('is erased with its tenant', async () => {
  const { mirror, acme, beta, entries, kinds } = await sealed()
  await mirror.purgeTenant(acme)
  expect(entries().map(({ tenant }) => tenant)).toEqual(Array(14).fill(beta))
  expect(await kinds(beta)).toEqual([])
})

it('seals many rows in entries of bounded size, and verifies them', async () => {
  const { mirror, acme, query, kinds, idsOf } = await sealed()
  for (let from = 0; from < 5600; from += 400) {
    const rows = Array.from({ length: 400 }, (_, i) => `(${acme}, 'users', '${from + i}', ${start}, 'created')`)
    query(`insert into changes (tenant_id, resource, "key", at, kind) values ${rows.join(', ')} returning id`)
  }
  await mirror.seal(acme, start + 2 * minuteMs)
  const counts = query(
    'select row_count as "rows" from audit_chain where tenant_id = ? and sequence > 14 order by sequence',
    acme,
  )
  expect(counts).toEqual([{ rows: 5000 }, { rows: 600 }])
  expect(await mirror.verifyChain(acme)).toMatchObject({ unsealed: 0, mismatches: [] })
  query('delete from changes where id = ? returning id', idsOf('changes')[4000])
  expect(await kinds()).toEqual(['changes rows_missing'])
})

it.skipIf(onPostgres)('appends all entries of a transaction or none', async () => {
  const { mirror, acme, entries, query } = await sealed()
  const before = entries()
  await live({ mirror }, acme, start + 2 * minuteMs, [21])
  const fail = `create trigger fail before insert on audit_chain when new.log = 'waiver_changes'
    begin select raise(abort, 'killed'); end`
  const beside = new (await import('better-sqlite3')).default(
    String(query('select file from pragma_database_list')[0]?.['file']),
  )
  beside.exec(fail)
  await expect(mirror.seal(acme, start + 2 * minuteMs)).rejects.toThrow()
  expect(entries()).toEqual(before)
  beside.exec('drop trigger fail')
  beside.close()
  await mirror.seal(acme, start + 2 * minuteMs)
  expect(await mirror.verifyChain(acme)).toMatchObject({ entries: 21, unsealed: 0, mismatches: [] })
})

it.each([
  ["status = 'pass'", 'results_changed'],
  ["open = '{}'", 'results_changed'],
  ['entities = 5', 'results_changed'],
  ['not_evaluated = 7', 'results_changed'],
  ["reason = 'stale'", 'results_changed'],
  ['since = since - 1', 'results_changed'],
  ["rule = 'x'", 'results_changed'],
  ['evaluated_at = evaluated_at + 1', null],
])('compares check results with their last change: %s', async (change, what) => {
  const { mirror, query, acme, beta, kinds } = await sealed()
  const [row] = query('select open from check_states where tenant_id = ?', acme)
  query(`update check_states set ${change} where tenant_id = ? returning status`, acme)
  const found = what === null ? [] : [{ what, count: 1, check }]
  expect((await mirror.verifyChain(acme)).mismatches).toEqual(found)
  expect(await kinds(beta)).toEqual([])
  // The counts that the mirror keeps are compared when the test ends.
  query('update check_states set open = ? where tenant_id = ? returning status', row?.['open'], acme)
})

it.each([
  ['-9007199254740991', -1],
  ['9007199254740992', 1],
  ['9223372036854775806', 1],
])('names rows with the id %s, which no row of the mirror has', async (id, sign) => {
  const { mirror, query, acme, beta, kinds } = await sealed()
  query(
    `insert into accepted_states (id, tenant_id, "check", entity_id, state, at, reason)
     values (${id}, ?, 'x', 'y', '1', ?, 'Forged') returning at`,
    acme,
    start,
  )
  const found = { what: 'rows_out_of_range', log: 'accepted_states', count: 1 }
  expect((await mirror.verifyChain(acme)).mismatches).toEqual([found])
  await mirror.seal(acme, start + hourMs)
  expect(await kinds()).toEqual(['accepted_states rows_out_of_range'])
  expect(await kinds(beta)).toEqual([])
  query(`delete from accepted_states where id * ${sign} > 9000000000000000 returning at`)
})

it.runIf(!onPostgres).each(["'2026-03-01'", "'x'", "x'00'", '0.5', '-1', '0', '9e15'])(
  'names a row with the time %s, which is none',
  async (at) => {
    const { query, acme, kinds, mirror } = await sealed()
    query(
      `insert into accepted_states (tenant_id, "check", entity_id, state, at, reason)
       values (?, 'x', 'y', '1', ${at}, 'Forged') returning id`,
      acme,
    )
    const found = 'accepted_states rows_out_of_range'
    expect(await kinds()).toContain(found)
    await mirror.seal(acme, start + 2 * minuteMs)
    expect(await kinds()).toContain(found)
  },
)
