import type { InputQuality } from '../model/data-quality.ts'
import { isFresh } from '../model/freshness.ts'
import { type CheckFacts, inputsOf } from './check.ts'
import { inputQualities, type TenantDataQuality } from './data-quality.ts'

export function usableInputs(check: CheckFacts, quality: TenantDataQuality, now: number): readonly InputQuality[] {
  const { maxAgeMs } = check
  const inputs = inputQualities(quality, inputsOf(check))
  if (maxAgeMs === undefined) return inputs
  return inputs.map((input) => {
    const readAt = quality.resources.get(input.resource)?.stored?.state.completeStartedAt ?? null
    return input.blocked === null && !isFresh(readAt, maxAgeMs, now) ? { ...input, blocked: 'stale' } : input
  })
}
