import { unmirrored } from '../../../src/evaluate/data-quality.ts'
import { parseIsoDate } from '../../../src/model/dates.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import type {
  CheckStateRow,
  EventRow,
  FindingRow,
  FindingStore,
  HoldRow,
  RecordPresence,
  SyncState,
  TenantRow,
  VersionedCounts,
} from '../../../src/store/port.ts'
import type { ChangeRow, MirrorRecord } from '../../../src/store/records/query.ts'
import { fakeDecisions } from './fake-decisions.ts'
import { fakeReader } from './fake-reader.ts'
import { saveInto, storedIn } from './fake-results.ts'
import { completeState } from './sync-states.ts'

const idFields = new Map(resources.map(({ name, idField }) => [name as ResourceName, idField]))

export interface FakeDataQuality {
  state: SyncState
  quarantined: number
  missing: number
}

/** A mirror in memory that behaves as the port documents; tests change it in place. */
export interface FakeMirror {
  readonly store: FindingStore
  readonly log: EventRow[]
  readonly tenant: { -readonly [Name in keyof TenantRow]: TenantRow[Name] }
  readonly quality: Record<ResourceName, FakeDataQuality>
  readonly holds: HoldRow[]
  readonly changes: ChangeRow[]
  readonly findings: Map<string, FindingRow>
  /** By fingerprint. */
  readonly digests: Map<string, string>
  readonly counts: Map<ResourceName, VersionedCounts>
  readonly states: Map<string, CheckStateRow>
  readonly events: { readonly kind: string; readonly fingerprint: string }[]
  /** `resource key` of records whose last reading is uncertain. */
  readonly uncertain: Set<string>
  /** Of all records; null = new at each reading, so that each evaluation evaluates all checks. */
  readonly version: { of: number | null }
  put(resource: ResourceName, fields: Record<string, unknown>, times?: Record<string, number>): MirrorRecord
  /** As after a complete full sync that did not show the record. */
  miss(resource: ResourceName, key: string): void
  remove(resource: ResourceName, key: string): void
  /** As a statement of another program that deletes its row. */
  lose(resource: ResourceName, key: string): void
}

/** A mirror of one tenant, `acme` with id 1, every resource of which was read in full completely at `now`. */
export function fakeMirror(now: number): FakeMirror {
  const records = new Map<ResourceName, Map<string, MirrorRecord>>(resourceNames.map((name) => [name, new Map()]))
  const tombstones = new Set<string>()
  const live = (resource: ResourceName) =>
    [...(records.get(resource)?.values() ?? [])].sort((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }))
  const reliable = (resource: ResourceName) => ({ state: completeState(resource, now), quarantined: 0, missing: 0 })
  const mirror: Omit<FakeMirror, 'store'> = {
    tenant: { ...unmirrored({ name: 'acme', baseUrl: '' }), id: 1 },
    quality: Object.fromEntries(resourceNames.map((name) => [name, reliable(name)])) as FakeMirror['quality'],
    holds: [],
    log: [],
    changes: [],
    findings: new Map(),
    digests: new Map(),
    counts: new Map(),
    states: new Map(),
    events: [],
    uncertain: new Set(),
    version: { of: null },
    put(resource, fields, times = {}) {
      const record = toRecord(resource, fields, { times, now })
      records.get(resource)?.set(record.key, record)
      return record
    },
    miss(resource, key) {
      const record = records.get(resource)?.get(key)
      if (record === undefined) throw new Error(`There is no record ${key} of ${resource}`)
      records.get(resource)?.set(key, { ...record, absent: true })
      mirror.uncertain.add(`${resource} ${key}`)
    },
    remove(resource, key) {
      mirror.lose(resource, key)
      tombstones.add(`${resource} ${key}`)
    },
    lose: (resource, key) => void records.get(resource)?.delete(key),
  }
  let readings = 0
  const isOpen = (finding: FindingRow) => finding.resolvedAt === null
  const store: FakeMirror['store'] = {
    records: () => fakeReader({ live, changes: mirror.changes }),
    async quality() {
      const version = mirror.version.of ?? ++readings
      return resourceNames.map((name) => {
        const { state, ...rest } = mirror.quality[name]
        return { ...rest, state: { ...state, version }, live: live(name).length }
      })
    },
    syncState: async (_tenantId, resource) => ({
      ...mirror.quality[resource].state,
      version: mirror.version.of ?? ++readings,
    }),
    isLive: async (_tenantId, resource, key) => records.get(resource)?.has(key) ?? false,
    presence: async (_tenantId, resource, keys) =>
      new Map(
        keys.flatMap((key): [string, RecordPresence][] => {
          const name = `${resource} ${key}`
          if (records.get(resource)?.has(key) === true)
            return [[key, mirror.uncertain.has(name) ? 'uncertain' : 'live']]
          return tombstones.has(name) ? [[key, 'removed']] : []
        }),
      ),
    record: async (_tenantId, resource, key) => records.get(resource)?.get(key) ?? null,
    checkStates: async () => [...mirror.states.values()],
    async *openDigests(_tenantId, check) {
      for (const row of mirror.findings.values())
        if (row.check === check && isOpen(row)) yield [{ ...row, digest: mirror.digests.get(row.fingerprint) ?? '' }]
    },
    storedFindings: async (fingerprints) => storedIn(mirror, fingerprints),
    fingerprintsFrom: async () => [],
    async saveResults(_tenantId, at, { results, counts = new Map() }) {
      for (const result of results) saveInto(mirror, at, result)
      for (const [resource, one] of counts) mirror.counts.set(resource, one)
    },
    async confirmResults(_tenantId, checks, at) {
      for (const check of checks) {
        const state = mirror.states.get(check)
        if (state !== undefined) mirror.states.set(check, { ...state, evaluatedAt: at })
      }
    },
    recordCounts: async () => mirror.counts,
    lastEventId: async () => ++readings,
    ...fakeDecisions(mirror.log),
    async *findings({ all = false, check, fingerprints, lapsed = false }) {
      if (lapsed) return
      for (const row of mirror.findings.values()) {
        const isWanted = (all || isOpen(row)) && (check === undefined || row.check === check)
        if (isWanted && (fingerprints === undefined || fingerprints.includes(row.fingerprint))) yield [row]
      }
    },
    unconfirmedTime: async () => null,
    isOfWrongClock: async () => false,
    holds: async () => mirror.holds,
    tenants: async () => [mirror.tenant],
    firstRecords: async () => [],
    async tenant(id) {
      if (id !== mirror.tenant.id) throw new Error(`Tenant ${id} is not in the mirror`)
      return mirror.tenant
    },
  }
  return { ...mirror, store }
}

interface Own {
  readonly times: Record<string, number>
  readonly now: number
}

function toRecord(resource: ResourceName, fields: Record<string, unknown>, { times, now }: Own): MirrorRecord {
  const idField = idFields.get(resource) ?? null
  const dates: Record<string, number | null> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (/(At|Date)$/.test(name)) dates[`${name}Ms`] = parseIsoDate(value)?.ms ?? null
  }
  const documents = { touchedAtMs: dates['updatedAtMs'] ?? dates['createdAtMs'] ?? null }
  const own = resource === 'documents' ? documents : resource === 'users' ? { detailReadAt: null } : {}
  return {
    key: idField === null ? '0' : String(fields[idField]).toLowerCase(),
    fields,
    extra: null,
    times: { ...dates, ...own, readAt: now, ...times },
    // Written again since, so that its history is read.
    firstSeenAt: times['firstSeenAt'] ?? now - 1,
    readAt: now,
    requestId: 'req-1',
    absent: false,
  }
}
