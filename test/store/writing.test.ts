import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import type { CheckResult, Mirror, NotedWaiver, PageCommit, RunClose, WrittenFinding } from '../../src/store/port.ts'
import { eraseAll } from '../support/erasure.ts'
import { testMirror } from '../support/mirror.ts'
import { incomingUser as user } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)
const tenantId = 1
const check = 'user-mfa-enrolled'
const resource = 'users'
const ofUsers = { tenantId, resource } as const

const finding: WrittenFinding = {
  kind: 'opened',
  fingerprint: 'f1',
  entityType: 'user',
  entityId: '1',
  severity: 'high',
  message: 'User 1 fails.',
  evidence: '{}',
  digest: 'd',
  firstSeenAt: at,
  reopened: 0,
  replacesOpen: false,
}
const checkResult: CheckResult = {
  check,
  status: 'fail',
  reason: null,
  entities: 1,
  notEvaluated: 0,
  rule: 'r',
  changesAt: null,
  basis: null,
  open: { high: 1 },
  written: [finding],
  resolved: [],
  waivers: { accepted: [], lapsed: [] },
  problem: 'odd',
}
const waiver: NotedWaiver = { id: 'w', check, entity: '*', terms: 't', owner: 'o', since: at, expiresAt: at + 1 }
const hold = { tenantId, resource, reason: 'shrink_held', count: 1, message: '', cause: {}, rids: [1], at } as const
const page: PageCommit = { ...ofUsers, items: [user(1), user(2)], at, requestId: null, recordCreations: true }
const next = { pages: 1, reachedEnd: true, fullSyncMs: 1 }
const whole = { startedAt: at, durationMs: 1, serverTime: at }
const run: RunClose = {
  ...ofUsers,
  mode: 'full',
  startedAt: at,
  endedAt: at,
  dataAsOf: at,
  outcome: 'success',
  reason: null,
  message: null,
  reachedEndServerTime: null,
  answered: null,
  pages: 1,
  counts: { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 },
}

const drained = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items);
}

type Operation = Exclude<keyof Mirror, symbol | 'dataVersion' | 'findingVersion'>

/** One call of every operation, in an order in which those that write have something to write. */
const calls: Readonly<Record<Operation, (mirror: Mirror) => unknown>> = {
  openTenant: (mirror) => mirror.openTenant('acme', 'https://x', at),
  noteTenant: (mirror) => mirror.noteTenant(tenantId, { blockedUntil: 5, former: ['users'] }),
  noteSync: (mirror) => mirror.noteSync(tenantId, resource, { cursor: 'c' }),
  startFullSync: (mirror) => mirror.startFullSync({ ...ofUsers, at, cursorBefore: null }),
  noteWait: (mirror) => mirror.noteWait(tenantId, resource, at + 1),
  commitPage: (mirror) =>
    mirror.commitPage({
      ...page,
      fullSync: { id: 1, next },
    }),
  absence: (mirror) => mirror.absence(1),
  missing: (mirror) => mirror.missing({ ...ofUsers, limit: 1, onlyAccepted: false }),
  nextDetails: (mirror) => mirror.nextDetails(tenantId, resource, 9),
  saveDetails: (mirror) =>
    mirror.saveDetails(tenantId, resource, [{ item: user(2, { roleId: 7 }), at: at + 1, requestId: null }]),
  completeFullSync: (mirror) =>
    mirror.completeFullSync({
      fullSyncId: 1,
      at,
      durationMs: 1,
      cursor: 'c',
      removedAt: at,
      remove: [],
      absent: [1],
      missing: [1, 2],
    }),
  saveLookUps: (mirror) =>
    mirror.saveLookUps({
      ...ofUsers,
      ...{ asked: [1, 2], existing: [1], removed: [{ rid: 2, requestId: null }], removedAt: at, at },
    }),
  awaitsRemovals: (mirror) => mirror.awaitsRemovals(tenantId, resource),
  dropFullSync: (mirror) => mirror.dropFullSync(2),
  closeRun: (mirror) => mirror.closeRun(run),
  removalBudget: (mirror) => mirror.removalBudget({ ...ofUsers, now: at }),
  raiseHold: (mirror) => mirror.raiseHold(hold),
  decide: async (mirror) =>
    mirror.decide({ holdId: (await mirror.holds()).map(({ id }) => id)[0] ?? '', reason: '', at }),
  pendingDecisions: (mirror) => mirror.pendingDecisions(tenantId),
  withdrawAcceptedRemovals: (mirror) => mirror.withdrawAcceptedRemovals(tenantId),
  holds: (mirror) => mirror.holds(tenantId),
  liftHold: (mirror) => mirror.liftHold(tenantId, resource, 'shrink_held'),
  knownKeys: (mirror) => mirror.knownKeys(tenantId, resource, [1]),
  knowsAny: (mirror) => mirror.knowsAny(tenantId),
  liveCount: (mirror) => mirror.liveCount(tenantId, resource),
  openFullSync: (mirror) => mirror.openFullSync(tenantId, resource),
  syncState: (mirror) => mirror.syncState(tenantId, resource),
  tenant: (mirror) => mirror.tenant(tenantId),
  tenants: (mirror) => mirror.tenants(),
  records: async (mirror) => {
    const reader = mirror.records(tenantId)
    await drained(reader.select(resource))
    await reader.byKeys(resource, ['1'])
    await reader.history(resource, '1')
  },
  quality: (mirror) => mirror.quality(tenantId),
  isLive: (mirror) => mirror.isLive(tenantId, resource, '1'),
  presence: (mirror) => mirror.presence(tenantId, resource, ['1']),
  record: (mirror) => mirror.record(tenantId, resource, '1'),
  saveResults: (mirror) => mirror.saveResults(tenantId, at, { results: [checkResult] }),
  confirmResults: (mirror) => mirror.confirmResults(tenantId, [check], at + 9e8),
  openDigests: (mirror) => drained(mirror.openDigests(tenantId, check)),
  storedFindings: (mirror) => mirror.storedFindings(['f1']),
  recordCounts: (mirror) => mirror.recordCounts(tenantId),
  checkStates: (mirror) => mirror.checkStates(tenantId),
  findings: (mirror) => drained(mirror.findings({ all: true, lapsed: true })),
  agreeWaiver: (mirror) =>
    mirror.agreeWaiver(tenantId, waiver, [{ fingerprint: 'f1', waiver: 'w', terms: 't', facts: '{}' }]),
  acceptances: (mirror) => mirror.acceptances(['f1']),
  notedWaivers: (mirror) => mirror.notedWaivers(tenantId),
  applyDecision: async (mirror) => {
    const { id: holdId } = await mirror.raiseHold({ ...hold, resource: 'all', reason: 'tenant_changed' })
    await mirror.decide({ holdId, reason: '', at })
    for (const decision of await mirror.pendingDecisions(tenantId))
      await mirror.applyDecision(decision, { tenantId, at, coversKnown: true })
  },
  events: (mirror) => mirror.events({ tenantId, kinds: ['result'], subjects: [check] }),
  appendEvents: (mirror) => mirror.appendEvents(tenantId, [{ kind: 'drift.first', subject: check, at, data: {} }]),
  personal: (mirror) => mirror.personal(tenantId, resource, ['1']),
  noteConfiguration: (mirror) => mirror.noteConfiguration({ at, digest: 'd', content: '{}' }),
  lastEventId: (mirror) => mirror.lastEventId(tenantId),
  noteTenantState: (mirror) => mirror.noteTenantState(tenantId, '{}', at + 9e9),
  notificationPosition: (mirror) => mirror.notificationPosition(tenantId, 'security'),
  saveNotificationPosition: (mirror) =>
    mirror.saveNotificationPosition(tenantId, 'security', { eventId: 1, failingSince: at, problem: 'refused' }),
  failingNotifications: (mirror) => mirror.failingNotifications(),
  newsEvents: (mirror) => mirror.newsEvents(tenantId, 0, 99),
  noteTime: (mirror) => mirror.noteTime(at - 9e9),
  firstRecords: (mirror) => mirror.firstRecords(),
  unconfirmedTime: (mirror) => mirror.unconfirmedTime(),
  confirmTime: async (mirror) => {
    const record = { fileId: 'd1', filename: '', uploadStatus: 'Completed', createdAt: '2026-01-01T00:00:00Z' }
    const items = [{ ok: true, record: { ...record, updatedAt: null }, extra: null }] as const
    await mirror.commitPage({ ...page, resource: 'documents', items })
    await mirror.confirmTime(at - 9e9)
  },
  isOfWrongClock: (mirror) => mirror.isOfWrongClock('f1', at),
  recordBounds: (mirror) => mirror.recordBounds(),
  past: async (mirror) => {
    const past = await mirror.past(at, true)
    await drained(past.findings({ all: true }))
    await past.checkStates(tenantId)
  },
  fingerprintsFrom: (mirror) => mirror.fingerprintsFrom('f', 1),
  changes: (mirror) => drained(mirror.changes({ tenantId })),
  hasEntity: (mirror) => mirror.hasEntity({ key: '1' }),
  configurations: (mirror) => drained(mirror.configurations()),
  overdueErasure: (mirror) => mirror.overdueErasure(at),
  heldRecords: (mirror) => mirror.heldRecords('a hold'),
  quarantined: (mirror) => mirror.quarantined(),
  ping: (mirror) => mirror.ping(),
  snapshot: (mirror) => mirror.snapshot((store) => store.tenants()),
  isVerified: (mirror) => mirror.isVerified(),
  verify: (mirror) => mirror.verify(),
  eraseOutdated: (mirror) => eraseAll(mirror, at + 9e9),
  verifyChain: (mirror) => mirror.verifyChain(tenantId),
  purgeTenant: (mirror) => mirror.purgeTenant(tenantId),
}

/** Statements that write outside of a transaction. */
function outsideTransactions(): string[] {
  const outside: string[] = []
  const prepare = BetterSqlite3.prototype.prepare
  const spy = vi.spyOn(BetterSqlite3.prototype, 'prepare').mockImplementation(function (
    this: BetterSqlite3.Database,
    text: string,
  ) {
    const statement = prepare.call(this, text)
    for (const name of statement.readonly ? [] : (['run', 'get', 'all'] as const)) {
      const execute = statement[name].bind(statement) as (...values: unknown[]) => never
      statement[name] = (...values: unknown[]) => {
        if (!this.inTransaction && !text.includes('noted')) outside.push(text)
        return execute(...values)
      }
    }
    return statement
  })
  onTestFinished(() => spy.mockRestore())
  return outside
}

/** Notes, in the database itself, which records and findings are changed; the turn of asking is no part of a record. */
function noteChanges(path: string) {
  const beside = new BetterSqlite3(path)
  onTestFinished(() => void beside.close())
  beside.exec('create table noted (tenant_id integer, kind text, name text)')
  const tables = [
    ['records', 'resource', '%.resource'] as const,
    ['findings', 'check', '%."check"'] as const,
    ['waived_findings', 'check', '(select "check" from findings f where f.fingerprint = %.fingerprint)'] as const,
  ]
  for (const [table, kind, name] of tables) {
    const columns = beside.pragma(`table_info(${table})`) as { readonly name: string }[]
    const watched = columns.map((column) => `"${column.name}"`).filter((column) => column !== '"looked_up_at"')
    const events = [['insert', 'new'] as const, ['delete', 'old'] as const, [`update of ${watched}`, 'new'] as const]
    for (const [event, row] of events)
      beside.exec(`create trigger "noted ${table} ${event.slice(0, 6)}" after ${event} on ${table} begin
        insert into noted values (${row}.tenant_id, '${kind}', ${name.replace('%', row)}); end`)
  }
  const take = beside.prepare<[], { tenantId: number; kind: string; name: string }>(
    'delete from noted returning tenant_id as tenantId, kind, name',
  )
  return () => take.all()
}

it('writes in transactions only, and gives the records and findings that one changes another version', async () => {
  const outside = outsideTransactions()
  const { mirror, path } = testMirror()
  // The opening itself, which no operation runs.
  outside.length = 0
  await calls.openTenant(mirror)
  const take = noteChanges(path)
  const versionOf = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
    kind === 'check' ? mirror.lastEventId(tenantId) : versionIn(mirror, name as ResourceName)
  const watched = [...resourceNames.map((name) => ({ kind: 'resource', name })), { kind: 'check', name: check }]
  const [found, changing]: [string[], string[]] = [[], []]
  for (const [operation, call] of Object.entries(calls)) {
    const before = new Map<string, number>()
    for (const one of watched) before.set(one.name, await versionOf(one))
    await call(mirror)
    const changed = [...new Map(take().map((one) => [one.name, one])).values()]
    if (changed.length > 0) changing.push(operation)
    for (const one of changed)
      if ((await versionOf(one)) === before.get(one.name)) found.push(`${operation}: ${one.name}`)
  }
  expect(outside).toEqual([])
  expect(found).toEqual([])
  expect(changing).toEqual([
    'commitPage',
    'saveDetails',
    'completeFullSync',
    'saveLookUps',
    'saveResults',
    'agreeWaiver',
    'applyDecision',
    'confirmTime',
    'eraseOutdated',
    'purgeTenant',
  ])
})

async function versionIn(mirror: Mirror, name: ResourceName): Promise<number> {
  return (await mirror.syncState(tenantId, name)).version
}

it('skips the version of records for an unchanged list', async () => {
  const { mirror } = testMirror()
  for (const operation of ['openTenant', 'startFullSync', 'commitPage'] as const) await calls[operation](mirror)
  await mirror.dropFullSync(1)
  const { id } = await mirror.startFullSync({ ...ofUsers, at, cursorBefore: null })
  const version = await versionIn(mirror, resource)
  await mirror.dropFullSync(id)
  expect((await mirror.commitPage({ ...page, whole })).counts.unchanged).toBe(2)
  expect(await versionIn(mirror, resource)).toBe(version)
})
