import { describeIdentity } from '../model/describe.ts'
import { changeHint, holdHint } from '../model/holds.ts'
import type { TenantPosture } from '../model/posture.ts'
import { lowerFirst } from '../model/text/words.ts'
import type { HoldRow, Mirror, TenantRow } from '../store/port.ts'
import { movedMessage } from '../sync/identity-proof.ts'
import { type Diagnosis, diagnosis, failure } from './diagnosis.ts'
import type { Probed } from './tenant.ts'

const subject = 'identity'

/** A configured tenant that the mirror has, and what its API answered. */
export interface ExaminedTenant extends Probed {
  readonly mirror: Mirror
  readonly row: TenantRow
  readonly posture: TenantPosture
  readonly signal: AbortSignal
}

/** As of the last sync, whose proof it is (docs/internals/reliability.md). Null if no endpoint could be read. */
export async function diagnoseIdentity(request: ExaminedTenant): Promise<Diagnosis | null> {
  const { mirror, row, tenant, posture } = request
  if (posture.identity === 'held') return diagnoseHold(tenant.name, await mirror.holds(row.id))
  if (row.baseUrl !== tenant.baseUrl && (await mirror.knowsAny(row.id))) {
    return failure(subject, lowerFirst(movedMessage(row, tenant.baseUrl)), changeHint('origin'), {
      reason: 'tenant_changed',
    })
  }
  if (request.pages.length === 0) return null
  const described = describeIdentity(posture)
  if (posture.identity !== 'proven') return diagnosis(subject, described)
  return diagnosis(subject, { ...described, text: `as of the last sync: ${lowerFirst(described.text)}` })
}

function diagnoseHold(tenant: string, holds: readonly HoldRow[]): Diagnosis {
  const hold = holds.find(({ resource }) => resource === 'all')
  const { text: message } = describeIdentity({ tenant, identity: 'held' })
  if (hold === undefined) return failure(subject, message, changeHint('proof'))
  return failure(subject, `${message}. ${hold.message}`, holdHint(hold))
}
