import type { SyncState } from '../../../src/mirror/port.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'

/** Nothing was ever asked for. */
export function neverState(resource: ResourceName): SyncState {
  return {
    resource,
    cursor: null,
    reachedEndServerTime: null,
    completeStartedAt: null,
    completeServerTime: null,
    completeDurationMs: null,
    completeRequestId: null,
    serverTime: null,
    serverTimeAt: null,
    pollAttemptAt: null,
    pollSuccessAt: null,
    pollReason: null,
    sweepAttemptAt: null,
    sweepSuccessAt: null,
    sweepReason: null,
    denied: null,
    message: null,
    resetSweepAt: null,
    sweepOwed: false,
    pollsRest: false,
    emptyAccepted: false,
  }
}

/** The last run was a complete sweep that began at `at`. */
export function completeState(resource: ResourceName, at: number): SyncState {
  const times = { completeStartedAt: at, completeDurationMs: 1000, sweepAttemptAt: at, sweepSuccessAt: at }
  return { ...neverState(resource), ...times, pollAttemptAt: at, pollSuccessAt: at, serverTime: at, serverTimeAt: at }
}
