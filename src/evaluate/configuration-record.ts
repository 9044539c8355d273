import * as z from 'zod'
import type { CheckSettings, Settings, TenantSettings, Waiver } from '../config/settings.ts'
import { readStored } from '../model/errors.ts'
import { yieldAfter } from '../model/in-turns.ts'
import type { OwnerRule } from '../model/owners.ts'
import { version } from '../model/process/version.ts'
import type { NotedConfiguration } from '../store/port.ts'
import { type Check, type CheckFacts, ruleContextOf, settingsOf } from './check.ts'
import type { EvaluatedSettings } from './data-quality.ts'
import { digestOf } from './digest.ts'

/** A tenant without its address and credentials, which may contain secrets. */
export interface RecordedTenant extends EvaluatedSettings, Pick<TenantSettings, 'portalUrl'> {
  readonly rules: Readonly<Record<string, string>>
  readonly assumptions: Readonly<Record<string, string>>
  /** Checks for which this configuration leaves nothing to evaluate. */
  readonly unconfigured: readonly string[]
}

type RecordedCheck = Omit<CheckFacts, 'acceptedOf' | 'alert' | 'drift' | 'material'>

export interface ConfigurationRecord {
  readonly version: string
  readonly evaluateIntervalMs: number
  readonly retentionDays: number
  readonly checks: readonly RecordedCheck[]
  readonly tenants: readonly RecordedTenant[]
  readonly waivers: readonly Waiver[]
  readonly owners: readonly OwnerRule[]
}

/** Tenants that are recorded in one turn of the event loop. */
const tenantsATurn = 50

export async function configurationRecord(
  settings: Settings,
  { checks, at }: { readonly checks: readonly Check[]; readonly at: number },
): Promise<NotedConfiguration> {
  const tenants: RecordedTenant[] = []
  const digests: string[] = []
  const turn = yieldAfter(tenantsATurn)
  for (const tenant of settings.tenants) {
    const recorded = recordedTenant(tenant, checks)
    tenants.push(recorded)
    digests.push(digestOf(recorded))
    await turn()
  }
  const record: ConfigurationRecord = {
    version,
    evaluateIntervalMs: settings.evaluate.intervalMs,
    retentionDays: settings.historyRetentionDays,
    checks: checks.map(factsOf),
    tenants,
    waivers: settings.waivers.map(({ id, check, entity, tenant, reason, owner, expiresMs }) => {
      return { id, check, entity, tenant, reason, owner, expiresMs }
    }),
    owners: settings.owners,
  }
  return { at, digest: digestOf({ ...record, tenants: digests }), content: JSON.stringify(record) }
}

function recordedTenant(tenant: TenantSettings, checks: readonly Check[]): RecordedTenant {
  const { name, ownClientId, resources, users, roles, documents, portalUrl } = tenant
  const settings: [string, CheckSettings][] = []
  const rules: [string, string][] = []
  const assumptions: [string, string][] = []
  const unconfigured: string[] = []
  for (const check of checks) {
    const own = settingsOf(check, tenant)
    const assumption = check.assumption?.(own.options) ?? null
    settings.push([check.id, own])
    rules.push([check.id, check.ruleOf(own.options, ruleContextOf(tenant))])
    if (assumption !== null) assumptions.push([check.id, assumption])
    if (check.isConfigured?.(own.options) === false) unconfigured.push(check.id)
  }
  return {
    ...{ name, ownClientId, resources, users, roles, documents, portalUrl },
    checks: Object.fromEntries(settings),
    rules: Object.fromEntries(rules),
    assumptions: Object.fromEntries(assumptions),
    unconfigured,
  }
}

export function readRecord({ content }: NotedConfiguration): ConfigurationRecord {
  return readStored('recorded configuration', () => JSON.parse(content) as ConfigurationRecord)
}

/** The checks with the rules of the recorded time, independent of the current configuration and version. */
export function recordedChecks(
  { checks }: ConfigurationRecord,
  { rules, assumptions, unconfigured }: RecordedTenant,
): readonly Check[] {
  return checks.map((check) => ({
    ...check,
    alert: null,
    options: z.looseObject({}),
    ruleOf: () => rules[check.id] ?? '',
    isConfigured: () => !unconfigured.includes(check.id),
    assumption: () => assumptions[check.id] ?? null,
  }))
}

/** Without what only evaluations need; JSON has no functions. */
function factsOf(check: Check): RecordedCheck {
  const { alert, material, drift, acceptedOf, options, query, ...facts } = check
  return facts
}
