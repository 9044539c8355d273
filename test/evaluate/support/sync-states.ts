import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { SyncState } from '../../../src/store/port.ts'

/** Nothing was ever asked for. */
export function neverState(resource: ResourceName): SyncState {
  return {
    resource,
    cursor: null,
    reachedEndServerTime: null,
    completeStartedAt: null,
    completeServerTime: null,
    completeDurationMs: null,
    firstCompleteAt: null,
    completeRequestId: null,
    serverTime: null,
    serverTimeAt: null,
    incrementalAttemptAt: null,
    incrementalSuccessAt: null,
    incrementalReason: null,
    fullAttemptAt: null,
    fullSuccessAt: null,
    fullReason: null,
    denied: null,
    tokenRefusedAt: null,
    message: null,
    resetFullSyncAt: null,
    fullSyncOwed: false,
    incrementalPaused: false,
    emptyAccepted: null,
    version: 0,
  }
}

/** The last run was a complete full sync that began at `at`. */
export function completeState(resource: ResourceName, at: number): SyncState {
  const times = { completeStartedAt: at, completeDurationMs: 1000, fullAttemptAt: at, fullSuccessAt: at }
  return {
    ...neverState(resource),
    ...times,
    incrementalAttemptAt: at,
    incrementalSuccessAt: at,
    serverTime: at,
    serverTimeAt: at,
  }
}
