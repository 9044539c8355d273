import { startDeadline } from '../api/deadline.ts'
import type { Clock } from '../model/clock.ts'
import { describeIdentity } from '../model/describe.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { changeHint, holdHint, ownClientRemedy } from '../model/holds.ts'
import type { TenantPosture } from '../model/posture.ts'
import { lowerFirst } from '../model/text/words.ts'
import { minuteMs } from '../model/time.ts'
import type { HoldRow, Mirror, TenantRow } from '../store/port.ts'
import { enabledNames } from '../sync/due.ts'
import {
  acceptedChange,
  awaitsAccepted,
  type Evidence,
  isOther,
  mismatchMessage,
  movedMessage,
  ownClientMissingMessage,
  type ProofContext,
  readEvidence,
} from '../sync/identity-proof.ts'
import { emptyList } from '../sync/lists/suspect-empty.ts'
import { type Diagnosis, diagnosis, failure, problemOf, warning } from './diagnosis.ts'
import type { Probed } from './tenant.ts'

const subject = 'identity'

/** A configured tenant that the mirror has, and what its API answered. */
export interface ExaminedTenant extends Probed {
  readonly mirror: Mirror
  readonly row: TenantRow
  readonly posture: TenantPosture
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Uses the same proof as a sync (docs/internals/reliability.md). Null if no endpoint could be read; the results of the endpoints
 * have the reason.
 *
 * @throws the reason of `signal` when that is aborted.
 */
export async function diagnoseIdentity(request: ExaminedTenant): Promise<Diagnosis | null> {
  const { mirror, row, tenant, posture, signal } = request
  if (posture.identity === 'held') return diagnoseHold(tenant.name, await mirror.holds(row.id))
  if (row.baseUrl !== tenant.baseUrl && (await mirror.knowsAny(row.id))) {
    return failure(subject, lowerFirst(movedMessage(row, tenant.baseUrl)), changeHint('origin'), {
      reason: 'tenant_changed',
    })
  }
  const seeEndpoints = 'See the results of the endpoints'
  if (enabledNames(tenant).length === 0)
    return failure(subject, 'cannot be checked: nothing could be read', seeEndpoints)
  // An unreachable tenant would cost another time-out for each list.
  if (request.pages.length === 0) return null
  using deadline = startDeadline(minuteMs, signal)
  const proving = provingOf(request)
  try {
    return await diagnoseEvidence(request, proving, await readEvidence(proving, request.pages, deadline.signal))
  } catch (error) {
    signal.throwIfAborted()
    const { message, hint } = problemOf(error)
    const problem = deadline.expired ? 'the tenant answers too slowly' : message
    const reason = deadline.expired ? 'timeout' : reasonOf(error)
    return failure(subject, `cannot be checked: ${problem}`, hint ?? seeEndpoints, { reason })
  }
}

function diagnoseHold(tenant: string, holds: readonly HoldRow[]): Diagnosis {
  const hold = holds.find(({ resource }) => resource === 'all')
  const { text: message } = describeIdentity({ tenant, identity: 'held' })
  if (hold === undefined) return failure(subject, message, changeHint('proof'))
  return failure(subject, `${message}. ${hold.message}`, holdHint(hold))
}

function provingOf({ mirror, row, tenant, client, clock }: ExaminedTenant): ProofContext {
  return {
    settings: tenant,
    reader: client.reader,
    clock,
    store: mirror,
    tenantId: row.id,
    emptyList: async () => new SyncError('suspect_empty', emptyList.message),
  }
}

async function diagnoseEvidence(
  { row, posture, tenant }: ExaminedTenant,
  proving: ProofContext,
  evidence: Evidence,
): Promise<Diagnosis> {
  const reason = 'tenant_changed'
  switch (evidence.outcome) {
    case 'mismatch': {
      const owed = acceptedChange(row, evidence.answered)
      if (owed === null || isOther(evidence, row.acceptedIds) || !(await awaitsAccepted(proving, owed))) {
        return failure(subject, lowerFirst(mismatchMessage(evidence)), changeHint('proof'), { reason })
      }
      const sentence = 'another tenant was accepted in place of this one and has not been read yet'
      return warning(subject, sentence, 'Start the engine, or run "tenantwatch sync"')
    }
    case 'ownClientMissing':
      return failure(subject, lowerFirst(ownClientMissingMessage(tenant)), ownClientRemedy, { reason })
    case 'match':
    case 'nothing': {
      return diagnosis(subject, describeIdentity(posture))
    }
    default:
      return evidence.outcome satisfies never
  }
}
