import type { TenantSettings } from '../config/settings.ts'
import type { SecretView } from '../model/expiry.ts'
import type { NamedFinding } from '../model/finding.ts'
import type { OwnerRule } from '../model/owners.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import type { RecordCounts } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import type { AddSeries, FamilyDefinition } from './family.ts'

/** A gauge about a tenant. Its series have the label `tenant` before those of `labelNames`. */
export interface TenantGauge extends FamilyDefinition {
  each(facts: TenantFacts, add: AddSeries): void
}

export interface ResourceSeries {
  readonly resource: ResourceName
  readonly endpoints: readonly string[]
  readonly holds: readonly Reason[]
  readonly gauges: readonly TenantGauge[]
}

/** The configuration of a tenant, as far as its series depend on it. */
export interface TenantSeriesConfig {
  readonly name: string
  /** Enabled resources; disabled ones have no series. */
  readonly resources: readonly (ResourceSeries & { readonly modes: readonly SyncMode[] })[]
  readonly checks: readonly string[]
  /** What the shipped rules compare with. */
  readonly thresholds: readonly { readonly check: string; readonly severity: Severity; readonly seconds: number }[]
  /** Age of the last evaluation beyond which its results no longer count. */
  readonly evaluationLimitSeconds: number
}

/** All that the gauges of a tenant show, read before any of them is rendered. */
export interface TenantFacts {
  readonly config: TenantSeriesConfig
  readonly posture: TenantPosture
  readonly findings: readonly NamedFinding[]
  /** Counts of records, as of the last evaluation. */
  readonly counts: ReadonlyMap<ResourceName, RecordCounts>
  readonly settings: Pick<TenantSettings, 'users' | 'roles' | 'documents'>
  readonly owners: readonly OwnerRule[]
  /** Secrets of all API clients, by client id. */
  readonly secrets: readonly SecretView[]
  /** Until when findings that a secret has expired or expires soon are waived, in milliseconds since the epoch, by client. */
  readonly waived: Readonly<Record<'expired' | 'expiring', ReadonlyMap<string, number>>>
}

/** Secrets of all API clients, by client id; `ownClientId` in any letter case. */
export async function readSecrets(reader: RecordReader, ownClientId: string | null): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets: SecretView[] = []
  for await (const batch of reader.select('api-clients')) {
    for (const { key, fields, times } of batch)
      secrets.push({
        clientId: key,
        name: textOrNull(fields['name']),
        role: textOrNull(fields['roleName']),
        expiresAt: times['secretExpirationDateMs'] ?? Number.POSITIVE_INFINITY,
        own: key.toLowerCase() === ownId,
      })
  }
  return secrets
}

/** Those that expire, the earliest first. */
export function byExpiry(secrets: readonly SecretView[]): readonly SecretView[] {
  return secrets.filter(({ expiresAt }) => Number.isFinite(expiresAt)).toSorted((a, b) => a.expiresAt - b.expiresAt)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
