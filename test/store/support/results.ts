import type { CheckResult, NewFinding } from '../../../src/store/port.ts'

/** A check over users. */
export const check = 'user-mfa-enrolled'

export function findingOf(id: number | string, more: Partial<NewFinding> = {}): NewFinding {
  return {
    fingerprint: `f${id}`,
    entityType: 'user',
    entityId: String(id),
    severity: 'high',
    message: `User ${id} fails.`,
    evidence: { id },
    ...more,
  }
}

/** Fails while there is a finding; a finding that is gone ends as fixed. */
export function resultOf(
  tenantId: number,
  at: number,
  failing: CheckResult['failing'],
  more: Partial<CheckResult> = {},
): CheckResult {
  return {
    tenantId,
    check,
    at,
    entities: 9,
    rule: 'r',
    failing,
    decide: (count) => ({ status: count > 0 ? 'fail' : 'pass', reason: null }),
    resolve: async () => 'fixed',
    ...more,
  }
}
