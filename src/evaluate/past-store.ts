import { minuteMs } from '../model/durations.ts'
import { readStored } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'
import type { HoldRow, PastReader, PastRun, ResourceQuality, SyncState, TenantRow } from '../store/port.ts'
import { fullFailure, incrementalFailure, type MeasuredQuality, type TenantDataQuality } from './data-quality.ts'
import type { ReadPosture } from './read-posture.ts'

/** A read-only store of a past state, so that the same code reports present and past. */
export function pastStore(past: PastReader, tenants: readonly TenantRow[]): ReadPosture['store'] {
  const { checkStates, findings, isLive } = past
  const recordOf = async (tenantId: number) => readInputSnapshot(await past.tenantState(tenantId))
  const rowOf = (tenantId: number) => tenants.find(({ id }) => id === tenantId)
  return {
    tenants: async () => tenants,
    async tenant(tenantId) {
      const row = rowOf(tenantId)
      if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
      return pastTenant(row, await recordOf(tenantId))
    },
    async holds(tenantId) {
      const wanted = tenants.filter(({ id }) => tenantId === undefined || id === tenantId)
      const each = await Promise.all(wanted.map(async (row) => pastHolds(row, await recordOf(row.id))))
      return each.flat()
    },
    // A report lists decisions in a section of their own.
    events: async () => [],
    quality: async (tenantId) => pastDataQuality(await recordOf(tenantId), await past.runs(tenantId), past.at),
    checkStates,
    findings,
    isLive,
    // Staleness at that time is part of the record.
    unconfirmedTime: async () => null,
  }
}

type HoldRecord = Pick<HoldRow, 'id' | 'resource' | 'reason' | 'count' | 'message' | 'raisedAt'>

interface ResourceRecord {
  readonly quarantined: number
  readonly missing: number
  readonly denied: Reason | null
  readonly incrementallySynced: boolean
  readonly fullySynced: boolean
  readonly incrementalReason: Reason | null
  readonly fullReason: Reason | null
  /** True until a sync succeeds after that failure. */
  readonly failing: boolean
  /** Server minus local clock, rounded to minutes, 0 while they agree; null = unknown. Absent in older records. */
  readonly skewMs?: number | null
}

export interface InputSnapshot {
  /** In older records only: the skew of all resources if it was too great, else null. */
  readonly clockSkewMs?: number | null
  readonly changeAccepted: readonly string[] | null
  readonly former?: readonly string[]
  readonly sharedWith?: string
  readonly holds: readonly HoldRecord[]
  readonly resources: Readonly<Record<string, ResourceRecord>>
}

export function inputSnapshot({ tenant, holds, resources, sharedWith }: TenantDataQuality): string {
  const { changeAccepted, former } = tenant
  const record: InputSnapshot = {
    changeAccepted,
    ...(former.length > 0 && { former }),
    ...(sharedWith !== undefined && { sharedWith }),
    holds: holds.map(({ id, resource, reason, count, message, raisedAt }) => {
      return { id, resource, reason, count, message, raisedAt }
    }),
    resources: Object.fromEntries(
      [...resources].flatMap(([name, { stored, skewMs, input }]) => {
        return stored === undefined ? [] : [[name, resourceRecord(stored, skewMs, input)]]
      }),
    ),
  }
  return JSON.stringify(record)
}

function resourceRecord(
  { state, quarantined, missing }: ResourceQuality,
  skewMs: MeasuredQuality['skewMs'],
  { blocked }: MeasuredQuality['input'],
): ResourceRecord {
  const { denied, incrementalSuccessAt, fullSuccessAt, fullReason } = state
  return {
    quarantined,
    missing,
    denied: denied ?? (blocked === 'unauthorized' ? blocked : null),
    incrementallySynced: incrementalSuccessAt !== null,
    fullySynced: fullSuccessAt !== null,
    incrementalReason: incrementalFailure(state),
    fullReason,
    failing: fullFailure(state) !== null,
    skewMs: skewMs !== null && isSkewed(skewMs) ? Math.round(skewMs / minuteMs) * minuteMs : skewMs && 0,
  }
}

export function readInputSnapshot(text: string | null): InputSnapshot | null {
  return text === null ? null : readStored('recorded data quality', () => JSON.parse(text) as InputSnapshot)
}

export function pastTenant(row: TenantRow, record: InputSnapshot | null): TenantRow {
  const { changeAccepted = null, former = [] } = record ?? {}
  return { ...row, blockedUntil: 0, changeAccepted, former }
}

export function pastHolds({ id: tenantId, name }: TenantRow, record: InputSnapshot | null): readonly HoldRow[] {
  return (record?.holds ?? []).map((hold) => ({ ...hold, tenantId, tenant: name, cause: {} }))
}

export function pastDataQuality(
  record: InputSnapshot | null,
  runs: readonly PastRun[],
  at: number,
): readonly ResourceQuality[] {
  return resourceNames.map((resource) => {
    const own = record?.resources[resource]
    const run = runs.find((one) => one.resource === resource)
    const { quarantined = 0, missing = 0 } = own ?? {}
    const skewMs = own?.skewMs === undefined ? (record?.clockSkewMs ?? 0) : own.skewMs
    const times = { serverTime: skewMs === null ? null : at + skewMs, serverTimeAt: at }
    return { state: { ...pastState(resource, own, run), ...times }, live: run?.live ?? 0, quarantined, missing }
  })
}

/** A state whose times only express an order; the real times are in the runs. */
function pastState(
  resource: ResourceName,
  own: ResourceRecord | undefined,
  run: PastRun | undefined,
): Omit<SyncState, 'serverTime' | 'serverTimeAt'> {
  const attemptAt = run === undefined ? null : 0
  return {
    resource,
    // Not null: `incrementalReason` already includes the failure of a full sync that incremental syncs wait for.
    cursor: '',
    reachedEndServerTime: null,
    completeStartedAt: run?.completeStartedAt ?? null,
    completeServerTime: null,
    completeDurationMs: run?.completeDurationMs ?? null,
    completeRequestId: null,
    incrementalAttemptAt: attemptAt,
    incrementalSuccessAt: own?.incrementallySynced === true ? 0 : null,
    incrementalReason: own?.incrementalReason ?? null,
    fullAttemptAt: own?.failing === true ? 0 : -1,
    fullSuccessAt: own?.fullySynced === true ? 0 : null,
    fullReason: own?.fullReason ?? null,
    denied: own?.denied ?? null,
    tokenRefusedAt: null,
    message: null,
    resetFullSyncAt: null,
    fullSyncOwed: false,
    incrementalPaused: false,
    emptyAccepted: null,
  }
}
