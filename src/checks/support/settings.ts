import type { Evaluator, Outcome } from '../../evaluate/check.ts'
import type { MirrorRecord } from '../../store/records/query.ts'

const settingsEntityId = 'authentication-settings'

/**
 * True for the answer of a tenant without SSO: `mfaEnabled` is false in each of them, so that it may be a placeholder
 * and not the policy (docs/internals/api.md#authentication-settings).
 */
export function isWithoutSso({ fields }: MirrorRecord): boolean {
  const { ssoEnabled, ssoEnforced, providerType, tenantName, mfaEnabled } = fields
  const isOff = [ssoEnabled, ssoEnforced, mfaEnabled].every((flag) => flag === false)
  return isOff && (providerType ?? null) === null && (tenantName ?? null) === null
}

export const missingSettings: Outcome = { kind: 'not_evaluated', outside: true }

/** Evaluates the one settings record; without it the check is not evaluated. */
export function settingsEvaluator(evaluate: (settings: MirrorRecord) => Outcome): Evaluator {
  let outcome = missingSettings
  return {
    record(settings) {
      outcome = evaluate(settings)
      return null
    },
    end: () => [[settingsEntityId, outcome]],
  }
}
