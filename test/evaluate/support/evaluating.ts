import { checks } from '../../../src/checks/index.ts'
import type { Check } from '../../../src/evaluate/check.ts'
import type { EvaluateTenant } from '../../../src/evaluate/check-run.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import { silentLog } from '../../../src/model/log.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import type { CheckResult, FindingRow } from '../../../src/store/port.ts'
import { now, settings } from '../../checks/support/facts.ts'
import { testMirror } from '../../support/mirror.ts'
import { readInFull } from '../../support/read-in-full.ts'
import { removeRecords } from '../../support/removal.ts'
import { type SettingsChanges, tenantSettings } from './tenant-settings.ts'

type Value = string | number | null

/** Columns of `sync_states` as after a complete full sync that began at `at`. */
const completeAt = (at: number): Record<string, Value> => {
  const synced = { complete_started_at: at, complete_server_time: null, complete_duration_ms: 1000 }
  const attempts = { full_attempt_at: at, full_success_at: at, incremental_attempt_at: at, incremental_success_at: at }
  return { ...synced, ...attempts, server_time: at, server_time_at: at, full_reason: null, denied: null }
}

/** Columns of `sync_states` before anything was asked for. */
export const never: Record<string, Value> = Object.fromEntries(Object.keys(completeAt(0)).map((name) => [name, null]))

export type TestWorld = Awaited<ReturnType<typeof emptyWorld>>

/** The tenant `acme` in a real database, every resource of which was read in full completely at `now`; tests change it in place. */
export async function emptyWorld() {
  const { mirror: store, query } = testMirror()
  const { tenant } = await store.openTenant('acme', 'https://api.example.com', now)
  const tenantId = tenant.id
  const page = { tenantId, at: now, requestId: 'req-1', recordCreations: true }
  for (const resource of resourceNames) await readInFull(store, tenantId, resource, [], now)
  const world = {
    store,
    query,
    tenantId,
    /** As a page of an incremental sync. */
    put(resource: ResourceName, ...records: readonly Record<string, unknown>[]) {
      const items = records.map((record) => ({ ok: true as const, record, extra: null, oddities: [] }))
      return store.commitPage({ ...page, resource, items })
    },
    /** Shows a record in a form that cannot be read; without an id, none that is known. */
    quarantine(resource: ResourceName, id: string | number | null = null) {
      const item = { ok: false as const, id, raw: { odd: true }, problem: 'state is missing' }
      return store.commitPage({ ...page, resource, items: [item] })
    },
    /** As after a complete full sync that did not show the record. */
    miss(resource: ResourceName, key: string) {
      query('update records set absent = 1 where resource = ? and key = ? returning rid', resource, key)
      world.set(resource, {})
    },
    async remove(resource: ResourceName, key: string) {
      const [row] = query('select rid from records where resource = ? and key = ?', resource, key)
      await removeRecords(store, { ...page, resource, removedAt: now }, [Number(row?.['rid'])])
    },
    /** As a statement of another program that takes its row away; the counts stay right. */
    lose(resource: ResourceName, key: string) {
      query("update records set key = '-1' where resource = ? and key = ? returning rid", resource, key)
      world.set(resource, {})
    },
    /** Sets columns of what is known about the sync of a resource. */
    set(resource: ResourceName, columns: Readonly<Record<string, Value>>) {
      const list = Object.keys(columns).map((name) => `${name} = ?, `)
      const text = `update sync_states set ${list.join('')}version = version + 1 where resource = ? returning version`
      query(text, ...Object.values(columns), resource)
    },
    hold(resource: ResourceName | 'all', reason: 'tenant_changed' | 'shrink_held' | 'suspect_empty') {
      return store.raiseHold({ tenantId, resource, reason, count: 1, message: '', cause: {}, at: now })
    },
    /** Puts the server's clock ahead of the local one by so many milliseconds. */
    skew(ms: number) {
      query('update sync_states set server_time = server_time_at + ?, version = version + 1 returning version', ms)
    },
    state: async (check: string) => (await store.checkStates(tenantId)).find((one) => one.check === check),
    findings: async (): Promise<FindingRow[]> => (await Array.fromAsync(store.findings({ all: true }))).flat(),
  }
  return world
}

/** A tenant that has nothing to hide: its settings, and a permission. */
export async function soundWorld(): Promise<TestWorld> {
  const world = await emptyWorld()
  await world.put('authentication-settings', settings())
  await world.put('permissions', { permissionId: 1, name: 'read', code: 'Api_Users_Read' })
  return world
}

export interface Evaluating
  extends Partial<Pick<EvaluateTenant, 'currentForMs' | 'onlyInputs' | 'ownQueries' | 'signal' | 'log'>> {
  readonly at?: number
  readonly changes?: SettingsChanges
  readonly catalogue?: readonly Check[]
}

/** A result with the number of findings that it opens, and of those that it resolves by resolution. */
export function counted({ resolved, ...result }: CheckResult) {
  const groups = Map.groupBy(resolved, ({ resolution }) => resolution)
  return {
    ...result,
    opened: result.written.filter(({ kind }) => kind !== 'changed').length,
    resolved: Object.fromEntries([...groups].map(([resolution, { length }]) => [resolution, length])),
  }
}

/** Evaluates the tenant `acme`; the results by check id. */
export async function evaluate({ store, tenantId: id }: TestWorld, evaluating: Evaluating = {}) {
  const { at = now, changes = {}, catalogue = checks, ...more } = evaluating
  const tenant = { id, settings: tenantSettings(changes) }
  const request = { store, tenant, checks: catalogue, now: at, log: silentLog(), ...more }
  const outcomes = await Array.fromAsync(evaluateTenant(request))
  return new Map(outcomes.map((outcome) => [outcome.check, counted(outcome)]))
}

/** As if every resource, or those named, had just been read in full completely. */
export function resync(world: TestWorld, at: number, resources: readonly ResourceName[] = resourceNames): void {
  for (const name of resources) world.set(name, completeAt(at))
}

/** Resolution of the findings of a check, or `open`, by entity. */
export async function lifeOf(world: TestWorld, check: string): Promise<Record<string, string>> {
  const own = (await world.findings()).filter((finding) => finding.check === check)
  return Object.fromEntries(own.map(({ entityId, resolution }) => [entityId, resolution ?? 'open']))
}
