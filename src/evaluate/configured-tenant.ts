import type { TenantSettings, Waiver } from '../config/settings.ts'
import type { ConfiguredTenant } from '../mirror/port.ts'
import { type Check, inputsOf } from './check.ts'
import { ruleContextOf, settingsOf } from './check-settings.ts'
import { entityKeyOf, termsOf } from './waivers/waivers.ts'

export interface InForce {
  readonly checks: readonly Check[]
  /** Of this tenant. */
  readonly waivers: readonly Waiver[]
  /** Age in milliseconds up to which a check result is shown. */
  readonly currentForMs: number
}

type Configured = Pick<TenantSettings, 'name' | 'resources' | 'checks' | 'documents' | 'ownClientId'>

/** What the views of PostgreSQL need to age data and check results and to apply waivers (docs/sql.md). */
export function configuredTenant(tenant: Configured, { checks, waivers, currentForMs }: InForce): ConfiguredTenant {
  const resources = Object.entries(tenant.resources).map(([resource, { enabled, freshnessMs, full }]) => {
    return [resource, { enabled, freshnessMs, intervalMs: full.intervalMs }]
  })
  const rules = checks.map((check) => {
    const { enabled, options } = settingsOf(check, tenant)
    const { id, title, timeBased, maxAgeMs = null, own } = check
    // No stored result is one of an own check with a problem.
    const rule = own === undefined || own.problem === null ? check.ruleOf(options, ruleContextOf(tenant)) : null
    const isConfigured = check.isConfigured?.(options) !== false
    const assumption = check.assumption?.(options) ?? null
    const shown = { check: id, title, enabled, isConfigured, rule, assumption }
    return { ...shown, inputs: inputsOf(check), timeBased, maxAgeMs, currentForMs }
  })
  const accepted = waivers.map((waiver) => {
    const { id, check, entity, reason, owner, expiresMs } = waiver
    return { id, check, entity, entityKey: entityKeyOf(waiver), terms: termsOf(waiver), reason, owner, expiresMs }
  })
  return {
    tenant: tenant.name,
    resources: JSON.stringify(Object.fromEntries(resources)),
    checks: JSON.stringify(rules),
    waivers: JSON.stringify(accepted),
  }
}
