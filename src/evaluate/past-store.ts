import { readStored } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { isSkewed } from '../model/server-clock.ts'
import { minuteMs } from '../model/time.ts'
import {
  type HoldRow,
  neverSynced,
  type PastReader,
  type PastRun,
  type ResourceQuality,
  type SyncState,
  type TenantRow,
} from '../store/port.ts'
import {
  fullFailure,
  incrementalFailure,
  lastAnswered,
  type MeasuredQuality,
  type TenantDataQuality,
} from './data-quality.ts'
import type { ReadPosture } from './read-posture.ts'

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
  /** Server minus local clock, rounded to minutes, 0 while they agree; null = unknown. */
  readonly skewMs: number | null
}

/** The facts behind the data quality of a tenant besides ages and counts, for which its runs are read. */
export interface InputSnapshot {
  readonly changeAccepted: readonly string[] | null
  readonly former?: readonly string[]
  readonly sharedWith?: string
  readonly holds: readonly HoldRecord[]
  /** Of the latest answer, by which waivers end; absent while it is not ahead of the local clock. */
  readonly aheadMs?: number
  readonly resources: Readonly<Partial<Record<ResourceName, ResourceRecord>>>
}

const noSnapshot: InputSnapshot = { changeAccepted: null, holds: [], resources: {} }

export function inputSnapshot({ tenant, allHolds, resources, sharedWith }: TenantDataQuality, now: number): string {
  const { changeAccepted, former } = tenant
  const aheadMs = roundedSkew(lastAnswered(now, Object.values(resources))?.skewMs ?? null)
  const record = {
    changeAccepted,
    ...(former.length > 0 && { former }),
    sharedWith,
    ...(aheadMs !== null && aheadMs > 0 && { aheadMs }),
    holds: allHolds.map(({ id, resource, reason, count, message, raisedAt }) => {
      return { id, resource, reason, count, message, raisedAt }
    }),
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, measured]) => [name, resourceRecord(measured)]),
    ),
  }
  return JSON.stringify(record)
}

function resourceRecord({ state, quarantined, missing, skewMs, input }: MeasuredQuality): ResourceRecord {
  const { denied, incrementalSuccessAt, fullSuccessAt, fullReason } = state
  return {
    quarantined,
    missing,
    denied: denied ?? (input.blocked === 'unauthorized' ? input.blocked : null),
    incrementallySynced: incrementalSuccessAt !== null,
    fullySynced: fullSuccessAt !== null,
    incrementalReason: incrementalFailure(state),
    fullReason,
    failing: fullFailure(state) !== null,
    skewMs: roundedSkew(skewMs),
  }
}

/** Away from 0, so that a difference that counts still does when it is read. */
function roundedSkew(skewMs: number | null): number | null {
  if (skewMs === null || !isSkewed(skewMs)) return skewMs && 0
  return Math.sign(skewMs) * Math.ceil(Math.abs(skewMs) / minuteMs) * minuteMs
}

export function readInputSnapshot(text: string | null): InputSnapshot {
  return text === null ? noSnapshot : readStored('recorded data quality', () => JSON.parse(text) as InputSnapshot)
}

/** A read-only store of a past state, so that the same code reports present and past. */
export function pastStore(past: PastReader, tenants: readonly TenantRow[]): ReadPosture['store'] {
  const { checkStates, findings, isLive, personal } = past
  const snapshotOf = async (tenantId: number) => readInputSnapshot(await past.tenantState(tenantId))
  return {
    tenants: async () => tenants,
    async tenant(tenantId) {
      const row = tenants.find(({ id }) => id === tenantId)
      if (row === undefined) throw new Error(`Tenant ${tenantId} is not in the mirror`)
      const { changeAccepted, former = [] } = await snapshotOf(tenantId)
      return { ...row, blockedUntil: 0, changeAccepted, former }
    },
    async holds(wanted) {
      const found: HoldRow[] = []
      for (const { id: tenantId, name: tenant } of tenants) {
        if (wanted !== undefined && tenantId !== wanted) continue
        // Without the cause, which only a decision needs.
        for (const hold of (await snapshotOf(tenantId)).holds)
          found.push({ ...hold, tenantId, tenant, cause: {}, acceptedReason: null, appliedAt: null })
      }
      return found
    },
    // A report lists decisions in a section of their own.
    events: async () => [],
    async quality(tenantId) {
      const [{ resources, aheadMs = 0 }, runs] = [await snapshotOf(tenantId), await past.runs(tenantId)]
      return resourceNames.map((resource) => {
        const [own, run] = [resources[resource], runs.find((one) => one.resource === resource)]
        const isLast = Math.max(0, own?.skewMs ?? 0) === aheadMs
        return pastQuality({ resource, own, run }, isLast ? past.at : past.at - 1)
      })
    },
    checkStates,
    findings,
    isLive,
    personal,
    unconfirmedTime: past.unconfirmedTime,
    latestTime: past.latestTime,
  }
}

interface PastResource {
  readonly resource: ResourceName
  readonly own: ResourceRecord | undefined
  readonly run: PastRun | undefined
}

/** A state whose other times than those of the run only express an order. */
function pastQuality({ resource, own, run }: PastResource, at: number): ResourceQuality {
  const { quarantined = 0, missing = 0, skewMs = 0 } = own ?? {}
  const state: SyncState = {
    ...neverSynced,
    resource,
    // Not null: `incrementalReason` already includes the failure of a full sync that incremental syncs wait for.
    cursor: '',
    completeStartedAt: run?.completeStartedAt ?? null,
    completeDurationMs: run?.completeDurationMs ?? null,
    serverTime: skewMs === null ? null : at + skewMs,
    serverTimeAt: at,
    incrementalAttemptAt: run === undefined ? null : 0,
    incrementalSuccessAt: own?.incrementallySynced === true ? 0 : null,
    incrementalReason: own?.incrementalReason ?? null,
    fullAttemptAt: own?.failing === true ? 0 : -1,
    fullSuccessAt: own?.fullySynced === true ? 0 : null,
    fullReason: own?.fullReason ?? null,
    denied: own?.denied ?? null,
    live: run?.live ?? 0,
  }
  return { state, quarantined, missing }
}
