import { isFresh } from '../model/freshness.ts'
import type { InputTrust } from '../model/input-trust.ts'
import { type CheckFacts, inputsOf } from './check.ts'
import { inputTrusts, type TenantTrust } from './tenant-trust.ts'

/** The trust in the inputs of a check at `now`: one older than the check's own limit is stale for it alone. */
export function trustedInputs(check: CheckFacts, trust: TenantTrust, now: number): readonly InputTrust[] {
  const { maxAgeMs } = check
  const inputs = inputTrusts(trust, inputsOf(check))
  if (maxAgeMs === undefined) return inputs
  return inputs.map((input) => {
    const readAt = trust.resources.get(input.resource)?.stored?.state.completeStartedAt ?? null
    return input.blocked === null && !isFresh(readAt, maxAgeMs, now) ? { ...input, blocked: 'stale' } : input
  })
}
