import type { HoldRow, PastRun, ResourceTrust, SyncState, TenantRow } from '../mirror/port.ts'
import { minuteMs } from '../model/durations.ts'
import type { Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'
import { type MeasuredTrust, pollFailure, sweepFailure, type TenantTrust } from './tenant-trust.ts'

type HoldRecord = Pick<HoldRow, 'id' | 'resource' | 'reason' | 'count' | 'message' | 'raisedAt'>

interface ResourceRecord {
  readonly quarantined: number
  readonly missing: number
  readonly denied: Reason | null
  readonly polled: boolean
  readonly swept: boolean
  readonly pollReason: Reason | null
  readonly sweepReason: Reason | null
  /** True while that failure of a sweep counts: no success followed. */
  readonly failing: boolean
  /** Server clock minus local clock, to the minute, 0 while they agree; null = not known. Absent in older records. */
  readonly skewMs?: number | null
}

/** What the trust in a mirror hangs on beside ages and counts, which runs tell. */
export interface TrustRecord {
  /** In older records, the skew of all resources where it was too great, else null. */
  readonly clockSkewMs?: number | null
  readonly changeAccepted: readonly string[] | null
  /** Absent where none is. */
  readonly former?: readonly string[]
  readonly holds: readonly HoldRecord[]
  readonly resources: Readonly<Record<string, ResourceRecord>>
}

/** JSON for the record; the same text while nothing of it is another. */
export function trustRecord({ tenant, holds, resources }: TenantTrust): string {
  const { changeAccepted, former } = tenant
  const record: TrustRecord = {
    changeAccepted,
    ...(former.length > 0 && { former }),
    holds: holds.map(({ id, resource, reason, count, message, raisedAt }) => {
      return { id, resource, reason, count, message, raisedAt }
    }),
    resources: Object.fromEntries(
      resourceNames.flatMap((name) => {
        const { stored, skewMs = null } = resources.get(name) ?? {}
        return stored === undefined ? [] : [[name, resourceRecord(stored, skewMs)]]
      }),
    ),
  }
  return JSON.stringify(record)
}

function resourceRecord(
  { state, quarantined, missing }: ResourceTrust,
  skewMs: MeasuredTrust['skewMs'],
): ResourceRecord {
  const { denied, pollSuccessAt, sweepSuccessAt, sweepReason } = state
  return {
    quarantined,
    missing,
    denied,
    polled: pollSuccessAt !== null,
    swept: sweepSuccessAt !== null,
    pollReason: pollFailure(state),
    sweepReason,
    failing: sweepFailure(state) !== null,
    skewMs: skewMs !== null && isSkewed(skewMs) ? Math.round(skewMs / minuteMs) * minuteMs : skewMs && 0,
  }
}

/** Reads it back; null where nothing was noted yet. */
export function readTrustRecord(text: string | null): TrustRecord | null {
  return text === null ? null : (JSON.parse(text) as TrustRecord)
}

/** The row of a tenant as the record tells it. */
export function pastTenant(row: TenantRow, record: TrustRecord | null): TenantRow {
  const { changeAccepted = null, former = [] } = record ?? {}
  return { ...row, blockedUntil: 0, changeAccepted, former }
}

/** The holds of a tenant as the record tells them; what would be needed to act on them is not in it. */
export function pastHolds({ id: tenantId, name }: TenantRow, record: TrustRecord | null): readonly HoldRow[] {
  return (record?.holds ?? []).map((hold) => ({ ...hold, tenantId, tenant: name, cause: {} }))
}

/** What the trust in each resource hung on at a time: doubts from the record, ages and counts from the runs. */
export function pastTrust(record: TrustRecord | null, runs: readonly PastRun[], at: number): readonly ResourceTrust[] {
  return resourceNames.map((resource) => {
    const own = record?.resources[resource]
    const run = runs.find((one) => one.resource === resource)
    const { quarantined = 0, missing = 0 } = own ?? {}
    const skewMs = own?.skewMs === undefined ? (record?.clockSkewMs ?? 0) : own.skewMs
    const times = { serverTime: skewMs === null ? null : at + skewMs, serverTimeAt: at }
    return { state: { ...pastState(resource, own, run), ...times }, live: run?.live ?? 0, quarantined, missing }
  })
}

/** Of its times only the order counts: what was shown of them is in the runs. */
function pastState(
  resource: ResourceName,
  own: ResourceRecord | undefined,
  run: PastRun | undefined,
): Omit<SyncState, 'serverTime' | 'serverTimeAt'> {
  const attemptAt = run === undefined ? null : 0
  return {
    resource,
    // Not null, for `pollReason` tells already why incremental syncs that wait for a full sync bring nothing.
    cursor: '',
    reachedEndServerTime: null,
    completeStartedAt: run?.completeStartedAt ?? null,
    completeServerTime: null,
    completeDurationMs: run?.completeDurationMs ?? null,
    completeRequestId: null,
    pollAttemptAt: attemptAt,
    pollSuccessAt: own?.polled === true ? 0 : null,
    pollReason: own?.pollReason ?? null,
    sweepAttemptAt: own?.failing === true ? 0 : -1,
    sweepSuccessAt: own?.swept === true ? 0 : null,
    sweepReason: own?.sweepReason ?? null,
    denied: own?.denied ?? null,
    message: null,
    resetSweepAt: null,
    sweepOwed: false,
    pollsRest: false,
    emptyAccepted: null,
  }
}
