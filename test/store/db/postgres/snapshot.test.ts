import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ownChecks } from '../../../../src/checks/own/own-check.ts'
import type { WellFormedCheck } from '../../../../src/config/own-checks/own-check.ts'
import { evaluateTenant } from '../../../../src/evaluate/evaluate-tenant.ts'
import { resultMemory } from '../../../../src/evaluate/result-memory.ts'
import { silentLog } from '../../../../src/model/log.ts'
import { type ResourceName, resourceNames } from '../../../../src/model/resource-names.ts'
import { openMirror } from '../../../../src/store/db/sqlite/sqlite-mirror.ts'
import { ownViews } from '../../../../src/store/own-checks/views.ts'
import type { Mirror, OwnAnswer, OwnQuery } from '../../../../src/store/port.ts'
import { iso, now } from '../../../checks/support/evaluator.ts'
import { client, document, role, settings, user } from '../../../checks/support/facts.ts'
import { tenantSettings } from '../../../evaluate/support/tenant-settings.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import {
  failure,
  filesOf,
  hasProc,
  isPage,
  patiently,
  sandboxProcesses,
  serverAway,
  snapshotWorld,
} from '../../postgres/support/snapshot-world.ts'
import { type Records, readInFull, readOne, recordsOf } from '../../support/two-tenants.ts'

const query = (text: string, inputs: readonly ResourceName[] = ['users']): OwnQuery => ({
  text,
  inputs,
  now,
  tenant: 'acme',
  timeoutMs: 60_000,
  maxRows: 10_000,
})
const names = query("select lastName || ' ' || count(*) as entity, 'alarm' as status, 'seen' as reason from users")

const odd = 'Half \0 and \u001a and \u001a0 \u2028 "\\\' 名前 🌍\r\n'
const oddRecords: Records = {
  'api-clients': [
    client({ clientId: 'c1', name: odd, roleName: null, secretExpirationDate: '2026-05-01T02:00:00.123+02:00' }),
    client({ clientId: 'C2' }),
  ],
  'authentication-settings': [settings({ ssoEnabled: true, providerType: null, tenantName: odd })],
  documents: [
    document({ fileId: 'd1', filename: odd, uploadStatus: null, updatedAt: null }),
    document({ fileId: 'd2', filename: '', updatedAt: '2026-02-28T23:59:59+05:30' }),
  ],
  permissions: [{ permissionId: 0, name: odd, module: null, function: '', code: 'A' }],
  roles: [
    role({ roleId: 1, name: odd, description: null }, ['Api_Users_Read', odd]),
    role({ roleId: Number.MAX_SAFE_INTEGER, name: '', isReadOnly: true }, []),
  ],
  users: [
    user({
      userId: -5,
      firstName: odd,
      lastName: null,
      mfaStatus: true,
      mfaAction: false,
      roleId: null,
      roleName: null,
    }),
    user({ userId: 7, email: '', roleId: 3, createdAt: iso(now) }),
  ],
}

it('shows every value of every view as a mirror in a file does, type by type', async () => {
  const { mirror } = snapshotWorld()
  const file = openMirror(join(temporaryFolder(), 'mirror.db'), 'engine')
  onTestFinished(() => file[Symbol.asyncDispose]())
  const both = [mirror, file]
  const ids = await Promise.all(both.map((one) => readInFull(one, 'acme', oddRecords)))
  let values = 0
  for (const { name, columns } of ownViews) {
    const shown = columns.map((column) => `'${column.name}', typeof("${column.name}"), hex("${column.name}")`)
    const text = `select json_array(${shown.join(', ')}) as entity, 'alarm' as status, 'seen' as reason from ${name}`
    const [there, here] = await Promise.all(both.map((one, i) => rowsOf(one, ids[i] ?? 0, query(text, resourceNames))))
    expect(there, name).toEqual(here)
    expect(here?.length, name).toBeGreaterThan(0)
    values += (here?.length ?? 0) * columns.length
  }
  expect(values).toBeGreaterThan(80)
})

async function rowsOf(mirror: Mirror, tenantId: number, asked: OwnQuery): Promise<readonly unknown[]> {
  const answer = await mirror.ask(tenantId, asked)
  if (answer.kind === 'failed') throw new Error(answer.problem)
  return answer.alarms.map(([entity]) => entity).toSorted()
}

const alarms = (...rows: OwnAnswer['alarms']) => ({ kind: 'answered', alarms: rows })

it('takes one snapshot for all queries of a tenant until data changes that they read', async () => {
  const { mirror, pagesRead } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  const globex = await readInFull(mirror, 'globex', recordsOf('globex'))
  const ask = async (...inputs: ResourceName[]) => {
    expect(await mirror.ask(acme, { ...names, inputs })).toMatchObject(alarms(['acme 3', 'seen']))
    return pagesRead()
  }
  pagesRead()
  expect(await ask('users')).toEqual(['users'])
  expect(await ask('users')).toEqual([])
  expect(await ask('users', 'documents')).toEqual(['documents', 'users'])
  expect(await ask('users')).toEqual([])
  await readOne(mirror, acme, 'roles', [role({ name: 'other' })])
  await readOne(mirror, globex, 'users', [user({ userId: 9, lastName: 'globex' })])
  expect(await ask('users', 'documents')).toEqual([])
  await readOne(mirror, acme, 'users', [user({ userId: 4, lastName: 'acme' })])
  expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 1', 'seen']))
  expect(pagesRead()).toEqual(['documents', 'users'])
})

it('reads all pages in one transaction that only reads', async () => {
  const { mirror, watch } = snapshotWorld()
  const users = Array.from({ length: 2500 }, (_, at) => user({ userId: at + 1, lastName: 'acme' }))
  const acme = await readInFull(mirror, 'acme', { ...recordsOf('acme'), users })
  watch.sent.splice(0)
  expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 2500', 'seen']))
  const words = watch.sent.map((text) => (isPage(text) ? 'page' : (/^begin.*?read only|^commit/.exec(text)?.[0] ?? '')))
  const begin = 'begin isolation level repeatable read, read only'
  expect(words.filter(Boolean)).toEqual([begin, 'page', 'page', 'page', 'commit'])
})

it('keeps tenants apart, each in a process of its own', async () => {
  const { mirror, pagesRead } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  const globex = await readInFull(mirror, 'globex', recordsOf('globex'))
  pagesRead()
  for (const _ of [1, 2]) {
    expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 3', 'seen']))
    expect(await mirror.ask(globex, names)).toMatchObject(alarms(['globex 3', 'seen']))
  }
  expect(pagesRead()).toEqual(['users', 'users'])
  const all = query("select count(*) as entity, 'alarm' as status, 'seen' as reason from main.users")
  expect(await mirror.ask(acme, all)).toMatchObject({ problem: 'it reads users, which is none of the views' })
})

it('begins the snapshot again after a conflict with another transaction', async () => {
  const { mirror, watch } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  let pages = 0
  watch.onSend = (text) => {
    // In the second table, when the first one is there.
    if (isPage(text) && ++pages === 2) throw failure('40001')
  }
  const count =
    "select (select count(*) from documents) || ' ' || count(*) as entity, 'alarm' as status, 'seen' as reason from users"
  expect(await mirror.ask(acme, query(count, ['documents', 'users']))).toMatchObject(alarms(['1 3', 'seen']))
  expect(pages).toBe(4)
})

it('fails with the reason, and says whether it may pass, while no snapshot can be taken', async () => {
  const { mirror, watch } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  watch.onSend = (text) => isPage(text) && serverAway()
  const problem = expect.stringMatching(
    /^no snapshot of the records can be taken: The database server cannot be reached/,
  )
  expect(await mirror.ask(acme, names)).toEqual({ kind: 'failed', problem, isTransient: true })
  watch.onSend = () => serverAway()
  expect(await mirror.ask(acme, names)).toEqual({ kind: 'failed', problem, isTransient: true })
  watch.onSend = () => {}
  expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 3', 'seen']))
})

it('fails when the records are too many or their reading takes too long', async () => {
  for (const [limits, problem] of [
    [{ maxBytes: 100 }, 'the records take more than 0 MiB'],
    [{ timeoutMs: 1 }, 'a snapshot of the records takes longer than 0.001 s'],
  ] as const) {
    const { mirror, settled } = snapshotWorld(limits)
    const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
    expect(await mirror.ask(acme, names)).toEqual({ kind: 'failed', problem })
    await settled()
  }
})

const check: WellFormedCheck = {
  id: 'my-check',
  file: 'my.sql',
  title: 'All is well',
  severity: 'high',
  inputs: ['users'],
  maxAgeMs: null,
  entity: 'user',
  frameworks: [],
  description: null,
  risk: null,
  remediation: null,
  query: "select userId as entity, 'ok' as status, '' as reason from users",
  timeBased: false,
  problem: null,
}
const checks = ownChecks({ folder: 'own', timeoutMs: 60_000, maxRows: 100, incomplete: false, checks: [check] })

it('makes the check unknown when no snapshot can be taken, and evaluates it again although no data changed', async () => {
  const { mirror: store, watch } = snapshotWorld()
  const tenant = { id: await readInFull(store, 'acme', recordsOf('acme')), settings: tenantSettings() }
  const memory = resultMemory()
  const evaluate = () => evaluateTenant({ store, tenant, checks, now, log: silentLog(), memory })
  expect(await evaluate()).toMatchObject([{ status: 'pass' }])
  await readOne(store, tenant.id, 'users', [user({ userId: 8 })])
  watch.onSend = (text) => isPage(text) && serverAway()
  expect(await evaluate()).toMatchObject([{ status: 'unknown', reason: 'check_failed' }])
  expect((await store.checkProblems(tenant.id)).get('my-check')).toMatch(/^my\.sql: no snapshot of the records can be/)
  watch.onSend = () => {}
  expect(await evaluate()).toMatchObject([{ status: 'pass' }])
})

it('stores nothing once another replica owns the tenant', async () => {
  const { mirror, mirrorOver, db } = snapshotWorld()
  const tenant = { id: await readInFull(mirror, 'acme', recordsOf('acme')), settings: tenantSettings() }
  const store = mirrorOver(db.fencedBy('select 1 where false'))
  await expect(evaluateTenant({ store, tenant, checks, now, log: silentLog() })).rejects.toMatchObject({
    reason: 'aborted',
  })
  expect(await mirror.checkStates(tenant.id)).toEqual([])
})

it.runIf(hasProc)('leaves no process behind when it is aborted while a snapshot is taken', async () => {
  const { mirror, watch } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  const stopping = new AbortController()
  watch.onSend = (text) => isPage(text) && stopping.abort(new DOMException('The engine ends', 'AbortError'))
  await expect(mirror.ask(acme, names, stopping.signal)).rejects.toThrow('The engine ends')
  expect(sandboxProcesses()).toEqual([])
})

it.runIf(hasProc)('fails when its process is killed meanwhile, and takes another snapshot after a kill', async () => {
  const { mirror, watch, pagesRead } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  const kill = () => sandboxProcesses().forEach((pid) => void process.kill(pid, 'SIGKILL'))
  watch.onSend = (text) => isPage(text) && kill()
  const problem = 'its process ended without an answer (SIGKILL)'
  expect(await mirror.ask(acme, names)).toEqual({ kind: 'failed', problem })
  watch.onSend = () => {}
  expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 3', 'seen']))
  pagesRead()
  kill()
  // Until the end of the process is noticed, its query fails.
  await vi.waitFor(
    async () => expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 3', 'seen'])),
    patiently,
  )
  expect(pagesRead()).toEqual(['users'])
})

it.runIf(hasProc)('keeps the records in memory, and ends the process when it is not used', async () => {
  const { mirror, pagesRead, wake } = snapshotWorld()
  const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
  await mirror.ask(acme, names)
  const [kept = 0, ...others] = sandboxProcesses()
  expect(others).toEqual([])
  expect(filesOf(kept)).toEqual([])
  await mirror.ask(acme, names)
  expect(sandboxProcesses()).toEqual([kept])
  wake()
  await vi.waitFor(() => expect(sandboxProcesses()).toEqual([]), patiently)
  pagesRead()
  expect(await mirror.ask(acme, names)).toMatchObject(alarms(['acme 3', 'seen']))
  expect(pagesRead()).toEqual(['users'])
  await mirror[Symbol.asyncDispose]()
  expect(sandboxProcesses()).toEqual([])
})

it.runIf(hasProc)('keeps a few processes only, whatever the number of tenants', async () => {
  const { mirror } = snapshotWorld()
  const tenants: number[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) tenants.push(await readInFull(mirror, name, recordsOf(name)))
  for (const tenant of tenants) expect(await mirror.ask(tenant, names)).toMatchObject({ kind: 'answered' })
  expect(sandboxProcesses()).toHaveLength(4)
})

it.runIf(hasProc)(
  'keeps the snapshot after a query that fails, and ends the process of one that takes too long',
  async () => {
    const { mirror, pagesRead } = snapshotWorld()
    const acme = await readInFull(mirror, 'acme', recordsOf('acme'))
    await mirror.ask(acme, names)
    pagesRead()
    expect(await mirror.ask(acme, query('select nonsense'))).toMatchObject({ problem: 'no such column: nonsense' })
    expect(await mirror.ask(acme, names)).toMatchObject({ kind: 'answered' })
    expect(pagesRead()).toEqual([])
    const endless =
      'with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) as entity, 1 as status, 1 as reason from t'
    expect(await mirror.ask(acme, { ...query(endless), timeoutMs: 1000 })).toEqual({
      kind: 'failed',
      problem: 'it takes longer than 1 s (ownChecks.timeoutSeconds)',
    })
    expect(sandboxProcesses()).toEqual([])
    expect(await mirror.ask(acme, names)).toMatchObject({ kind: 'answered' })
    expect(pagesRead()).toEqual(['users'])
  },
)
