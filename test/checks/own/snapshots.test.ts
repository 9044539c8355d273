import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { QueriedStore } from '../../../src/evaluate/own-query.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { hourMs } from '../../../src/model/time.ts'
import type { MirrorRecord } from '../../../src/store/records/query.ts'
import { now, user } from '../support/facts.ts'
import {
  alarmQuery,
  cpuTicksOf,
  endless,
  hasProc,
  ownQuery,
  sandboxesOf,
  sandboxQueries,
} from '../support/own-queries.ts'

afterEach(() => void vi.useRealTimers())

/** A store whose tenants have three users each, named after their id; `read` lists the resources that were read. */
function storeOf(onBatch: () => void = () => {}) {
  const read: ResourceName[] = []
  const versions = new Map<ResourceName, number>()
  const store: QueriedStore = {
    syncState: async (_tenantId, resource) => ({ version: versions.get(resource) ?? 0 }),
    records: (tenantId) => ({
      async *select(resource) {
        read.push(resource)
        if (resource !== 'users') return
        for (const userId of [1, 2, 3]) {
          yield [recordOf(user({ userId, lastName: `t${tenantId}` }))] as never
          onBatch()
        }
      },
    }),
  }
  const write = (resource: ResourceName) => versions.set(resource, (versions.get(resource) ?? 0) + 1)
  return { store, read, write }
}

function recordOf(fields: Readonly<Record<string, unknown>>): MirrorRecord {
  const common = {
    extra: null,
    times: {},
    firstSeenAt: now,
    readAt: now,
    requestId: null,
    absent: false,
    quarantined: false,
  }
  return { key: String(fields['userId']), fields, ...common }
}

const names = ownQuery(alarmQuery("lastName || ' ' || count(*)", 'from users'), { inputs: ['users'] })
/** Takes more and more memory, for the sorting of its rows. */
const huge =
  'from (with recursive t(x, b) as (select 1, zeroblob(900000) union all select x + 1, zeroblob(900000 + x) from t where x < 20000) select b from t order by b desc, x)'
const seen = (entity: string) => ({ kind: 'answered', alarms: [[entity, 'seen']] })

it('reads the records once for all queries of a tenant, until one of the inputs changes', async () => {
  const { store, read, write } = storeOf()
  const queries = sandboxQueries()
  const ask = async (...inputs: ResourceName[]) => {
    expect(await queries.ask(store, 1, { ...names, inputs })).toMatchObject(seen('t1 3'))
    return read.splice(0)
  }
  expect(await ask('users')).toEqual(['users'])
  expect(await ask('users')).toEqual([])
  expect(await ask('users', 'documents')).toEqual(['documents', 'users'])
  expect(await ask('users')).toEqual([])
  write('roles')
  expect(await ask('users')).toEqual([])
  write('users')
  expect(await ask('users', 'documents')).toEqual(['documents', 'users'])
})

it('ends a query when it and the records take more memory than the limit', async () => {
  const { store } = storeOf()
  const queries = sandboxQueries(128 * 2 ** 20)
  const problem = 'it takes more than 128 MiB of memory, with the records'
  expect(await queries.ask(store, 1, ownQuery(alarmQuery('count(*)', huge)))).toEqual({ kind: 'failed', problem })
  expect(await queries.ask(store, 1, names)).toMatchObject(seen('t1 3'))
})

it('ends an endless query when it is aborted, and starts no query then', async () => {
  const { store } = storeOf()
  const queries = sandboxQueries()
  const stopping = new AbortController()
  const asked = queries.ask(store, 1, ownQuery(alarmQuery('n', endless)), stopping.signal)
  setTimeout(() => stopping.abort(new DOMException('The engine ends', 'AbortError')), 100)
  await expect(asked).rejects.toThrow('The engine ends')
  await expect(queries.ask(store, 1, names, stopping.signal)).rejects.toThrow('The engine ends')
  expect(await queries.ask(store, 1, names)).toMatchObject(seen('t1 3'))
})

it.runIf(hasProc)(
  'ends its process once it is unused, also after a query that was aborted while it waited',
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { store } = storeOf()
    const queries = sandboxQueries()
    await queries.ask(store, 1, names)
    const aborted = AbortSignal.abort(new Error('The tenant was removed'))
    await expect(queries.ask(store, 1, names, aborted)).rejects.toThrow('removed')
    vi.advanceTimersByTime(hourMs)
    vi.useRealTimers()
    await vi.waitUntil(() => sandboxesOf(process.pid).length === 0)
  },
)

it.runIf(hasProc)('fails while its process is killed from outside, and starts another one', async () => {
  const { store } = storeOf()
  const queries = sandboxQueries()
  const asked = queries.ask(store, 1, ownQuery(alarmQuery('n', endless), { inputs: ['users'] }))
  const [pid = 0] = await vi.waitUntil(() => {
    const pids = sandboxesOf(process.pid)
    return pids.length > 0 && pids
  })
  process.kill(pid, 'SIGKILL')
  const problem = 'its process ended without an answer (SIGKILL)'
  expect(await asked).toEqual({ kind: 'failed', problem })
  expect(await queries.ask(store, 1, names)).toMatchObject(seen('t1 3'))
})

it.runIf(hasProc)('ends an endless query when the process that asked is killed', async () => {
  const program = `
    import { emptyStore, SandboxQueries } from ${JSON.stringify(join(import.meta.dirname, '../../../src/checks/own/sandbox.ts'))}
    await new SandboxQueries().ask(emptyStore, 1, ${JSON.stringify(ownQuery(alarmQuery('n', endless)))})`
  const caller = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
  const callerPid = caller.pid ?? 0
  const [pid = 0] = await vi.waitUntil(
    () => {
      const pids = sandboxesOf(callerPid)
      return pids.length > 0 && pids
    },
    { timeout: 20_000 },
  )
  // Until the query runs.
  await vi.waitUntil(() => cpuTicksOf(pid) > 50, { timeout: 20_000 })
  caller.kill('SIGKILL')
  await once(caller, 'exit')
  await vi.waitUntil(() => cpuTicksOf(pid) === 0, { timeout: 20_000 })
})
