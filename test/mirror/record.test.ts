import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { expect, it } from 'vitest'
import type { CheckResult } from '../../src/mirror/port.ts'
import { applicationId } from '../../src/mirror/sqlite/migrate.ts'
import { openMirror } from '../../src/mirror/sqlite/sqlite-mirror.ts'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import { testMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'

const start = Date.parse('2026-03-01T12:00:00Z')
const check = 'user-mfa-enrolled'

const checkResult = (
  tenantId: number,
  at: number,
  failing: readonly string[] = [],
  more: Partial<CheckResult> = {},
): CheckResult => ({
  tenantId,
  check,
  at,
  entities: 9,
  notEvaluated: 0,
  rule: 'r',
  failing: [
    failing.map((id) => ({
      fingerprint: `f${id}`,
      entityType: 'user',
      entityId: id,
      severity: 'high',
      message: `User ${id} fails.`,
      evidence: { id },
    })),
  ],
  decide: (count) => ({ status: count > 0 ? 'fail' : 'pass', reason: null }),
  resolve: async () => 'fixed',
  ...more,
})

async function opened() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://x', start)
  return { ...test, tenantId: tenant.id }
}

it('writes nothing for an evaluation that changed nothing, and a row for whatever another one changes', async () => {
  const { mirror, query, tenantId } = await opened()
  const rows = () => query('select count(*) as n from check_status_changes')[0]?.['n']
  const all = () =>
    ['check_status_changes', 'configurations', 'tenant_states', 'finding_events', 'clock_steps', 'retention'].map(
      (table) => query(`select * from ${table}`),
    )
  const configuration = { digest: 'd', content: '{}' }
  for (let i = 0; i < 3; i++) {
    const at = start + i * minuteMs
    await mirror.noteTime(at)
    await mirror.noteConfiguration({ ...configuration, at })
    await mirror.noteTenantState(tenantId, '{"holds":[]}', at)
    await mirror.commitResult(checkResult(tenantId, at, ['1']))
  }
  const before = all()
  expect(before.map((found) => found.length)).toEqual([1, 1, 1, 1, 0, 1])
  for (let i = 3; i < 60; i++) {
    const at = start + i * minuteMs
    await mirror.noteTime(at)
    await mirror.noteConfiguration({ ...configuration, at })
    await mirror.noteTenantState(tenantId, '{"holds":[]}', at)
    if (i % 2 === 0) await mirror.confirmResult(tenantId, check, at)
    else await mirror.commitResult(checkResult(tenantId, at, ['1']))
  }
  expect(all()).toEqual(before)
  let at = start + 60 * minuteMs
  for (const more of [{ entities: 10 }, { notEvaluated: 1 }, { rule: 's' }]) {
    await mirror.commitResult(checkResult(tenantId, at, ['1'], more))
    await mirror.commitResult(checkResult(tenantId, at, ['1'], more))
    at += minuteMs
  }
  expect(rows()).toBe(4)
  await mirror.commitResult(checkResult(tenantId, at, ['1', '2'], { rule: 's' }))
  expect(rows()).toBe(5)
})

it('notes that nobody evaluated for longer than a check result is shown', async () => {
  const { mirror, query, tenantId } = await opened()
  await mirror.commitResult(checkResult(tenantId, start))
  await mirror.confirmResult(tenantId, check, start + 15 * minuteMs)
  await mirror.confirmResult(tenantId, check, start + 31 * minuteMs)
  await mirror.confirmResult(tenantId, check, start + 91 * minuteMs, 60 * minuteMs)
  const kept = query('select at, confirmed_at as confirmedAt from check_status_changes order by id')
  expect(kept).toEqual([
    { at: start, confirmedAt: start + 15 * minuteMs },
    { at: start + 31 * minuteMs, confirmedAt: null },
  ])
  const confirmed = async (at: number) => (await (await mirror.past(at, false)).checkStates(tenantId))[0]?.evaluatedAt
  expect(await confirmed(start + 10 * minuteMs)).toBe(start + 10 * minuteMs)
  expect(await confirmed(start + 30 * minuteMs)).toBe(start + 15 * minuteMs)
  expect(await confirmed(start + 40 * minuteMs)).toBe(start + 40 * minuteMs)
})

it('keeps of what is erased the last that still held', async () => {
  const { mirror, query, tenantId } = await opened()
  for (const [day, failing] of [['1'], ['1', '2'], ['1'], ['1', '3']].entries()) {
    await mirror.noteTenantState(tenantId, `{"day":${day}}`, start + day * dayMs)
    await mirror.noteConfiguration({ at: start + day * dayMs, digest: `${day}`, content: `{"day":${day}}` })
    await mirror.commitResult(checkResult(tenantId, start + day * dayMs, failing))
  }
  await mirror.purge(start + 2.5 * dayMs)
  const past = await mirror.past(start + 2.6 * dayMs, false)
  expect(await past.configuration()).toMatchObject({ digest: '2' })
  expect(await past.tenantState(tenantId)).toBe('{"day":2}')
  expect(await past.checkStates(tenantId)).toMatchObject([{ status: 'fail', open: { high: 1 } }])
  const open = (await Array.fromAsync(past.findings({}))).flat()
  expect(open.map(({ fingerprint }) => fingerprint)).toEqual(['f1'])
  expect(query('select fingerprint, kind from finding_events order by id')).toEqual([
    { fingerprint: 'f1', kind: 'opened' },
    { fingerprint: 'f3', kind: 'opened' },
  ])
  expect(await mirror.recordBounds()).toEqual({ begins: start, erasedBefore: start + 2.5 * dayMs })
})

it('erases with the retention what was wrong with checks that nobody evaluates any more', async () => {
  const { mirror, tenantId } = await opened()
  for (const own of ['gone', 'evaluated']) {
    await mirror.commitResult(checkResult(tenantId, start, [], { check: own }))
    await mirror.noteProblem(tenantId, own, 'It cannot evaluate ann@example.com')
  }
  await mirror.commitResult(checkResult(tenantId, start + 3 * dayMs, [], { check: 'evaluated' }))
  await mirror.purge(start)
  expect([...(await mirror.checkProblems(tenantId)).keys()]).toEqual(['gone', 'evaluated'])
  await mirror.purge(start + dayMs)
  expect([...(await mirror.checkProblems(tenantId)).keys()]).toEqual(['evaluated'])
})

/** A mirror as the first release left it. */
function firstRelease(): string {
  const folder = temporaryFolder()
  const source = join(import.meta.dirname, '..', '..', 'drizzle')
  mkdirSync(join(folder, 'drizzle', 'meta'), { recursive: true })
  copyFileSync(join(source, '0000_initial.sql'), join(folder, 'drizzle', '0000_initial.sql'))
  const journal = JSON.parse(readFileSync(join(source, 'meta', '_journal.json'), 'utf8'))
  const first = { ...journal, entries: journal.entries.slice(0, 1) }
  writeFileSync(join(folder, 'drizzle', 'meta', '_journal.json'), JSON.stringify(first))
  const path = join(folder, 'mirror.db')
  const raw = new BetterSqlite3(path)
  raw.pragma(`application_id = ${applicationId}`)
  migrate(drizzle(raw), { migrationsFolder: join(folder, 'drizzle') })
  raw.exec(`
    insert into tenants (id, name, base_url, created_at) values (1, 'acme', 'https://x', ${start});
    insert into check_states (tenant_id, "check", status, reason, entities, since, evaluated_at, rule, open)
      values (1, '${check}', 'fail', null, 9, ${start}, ${start + 5}, 'r', '{"high":2}');
    insert into check_status_changes (tenant_id, "check", at, status, reason, entities)
      values (1, '${check}', ${start}, 'fail', null, 9);
    insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence,
      first_seen_at, last_seen_at) values
      ('old', 1, '${check}', 'user', '1', 'high', 'Old.', '{"n":1}', 1, ${start}),
      ('new', 1, '${check}', 'user', '2', 'high', 'New.', '{"n":2}', ${start}, ${start});
    insert into finding_events (fingerprint, at, kind, severity, message, evidence)
      values ('new', ${start}, 'opened', 'high', 'New.', '{"n":2}');
    insert into sync_states (tenant_id, resource, complete_started_at, complete_duration_ms)
      values (1, 'users', ${start - 1000}, 900);
    insert into runs (tenant_id, resource, mode, started_at, ended_at, outcome, pages, created, updated, unchanged, removed,
      quarantined) values (1, 'users', 'full', ${start - 1000}, ${start}, 'success', 1, 2, 0, 0, 0, 0);`)
  raw.close()
  return path
}

it('carries the state that an earlier release left into the record, which begins when it is first evaluated again', async () => {
  await using mirror = openMirror(firstRelease(), 'engine')
  expect(await mirror.recordBounds()).toEqual({ begins: null, erasedBefore: null })
  const at = start + minuteMs
  await mirror.noteConfiguration({ at, digest: 'd', content: '{}' })
  await mirror.confirmResult(1, check, at)
  expect(await mirror.recordBounds()).toEqual({ begins: at, erasedBefore: null })
  const past = await mirror.past(at, false)
  expect(await past.checkStates(1)).toMatchObject([
    { status: 'fail', entities: 9, notEvaluated: null, rule: 'r', open: { high: 2 }, since: start },
  ])
  const open = (await Array.fromAsync(past.findings({}))).flat()
  expect(open.map(({ fingerprint, evidence, firstSeenAt }) => [fingerprint, evidence, firstSeenAt])).toEqual([
    ['old', { n: 1 }, 1],
    ['new', { n: 2 }, start],
  ])
  expect(await past.runs(1)).toEqual([
    { resource: 'users', endedAt: start, completeStartedAt: start - 1000, completeDurationMs: 900, live: null },
  ])
})

it('takes no notice of a clock that is put right by less than a second, and notes each greater step once', async () => {
  const { mirror, query, tenantId } = await opened()
  await mirror.commitResult(checkResult(tenantId, start))
  await mirror.noteTime(start - 900)
  expect(query('select * from clock_steps')).toEqual([])
  await mirror.noteTime(start - minuteMs)
  await mirror.noteTime(start - minuteMs)
  await mirror.noteTime(start + minuteMs)
  expect(query('select at, latest, until, resumed from clock_steps')).toEqual([
    { at: start - minuteMs, latest: start, until: start - minuteMs, resumed: start + minuteMs },
  ])
})
