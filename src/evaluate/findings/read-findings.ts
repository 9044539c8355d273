import type { TenantSettings, Waiver } from '../../config/settings.ts'
import { namesOf } from '../../model/entity-names.ts'
import type { FindingView } from '../../model/finding.ts'
import { type OwnerRule, portalLink } from '../../model/owners.ts'
import { isoOrNull, toIso } from '../../model/time.ts'
import type { CheckStateRow, FindingFilter, FindingRow, PostureStore, TenantRow } from '../../store/port.ts'
import { waiverTime } from '../data-quality.ts'
import { driftIdOf } from './identity.ts'
import { findingOwner, type NamingFields, ownByName, readNamingFields } from './owners.ts'
import { markOf, waiverMatcher } from './waivers.ts'

export interface ReadFindings extends Omit<FindingFilter, 'all'> {
  readonly store: PostureStore
  readonly waivers: readonly Waiver[]
  /** Absent = no finding has an owner. */
  readonly owners?: readonly OwnerRule[]
  /** Their addresses in the portal. */
  readonly tenants?: readonly Pick<TenantSettings, 'name' | 'portalUrl'>[]
  readonly now: number
  /** Absent = open and not waived. */
  readonly states?: readonly FindingView['state'][]
  /** Only findings of this owner. */
  readonly owner?: string | undefined
  /** Adds the names that the mirror has of users and documents. */
  readonly withPersonal?: boolean
}

export async function* readFindings(request: ReadFindings): AsyncIterable<FindingView> {
  const { store, waivers, owners = [], tenants = [], now, states = ['open'], owner, withPersonal, ...filter } = request
  const mirrored = await store.tenants()
  const times = await timesOf(request, mirrored)
  const matchOf = waiverMatcher(waivers)
  const portals = new Map(tenants.map(({ name, portalUrl }) => [name, portalUrl]))
  for await (const batch of store.findings({ ...filter, all: states.includes('resolved') })) {
    const isNamed = withPersonal === true || ownByName(owners)
    const fields = isNamed ? await readNamingFields(batch, store, mirrored) : new Map<FindingRow, NamingFields>()
    for (const row of batch) {
      const view = toView(row, times(row), matchOf)
      const ownedBy = findingOwner(owners, row, fields.get(row))
      if (!states.includes(view.state) || (owner !== undefined && ownedBy !== owner)) continue
      yield {
        ...view,
        entity: { ...view.entity, ...(withPersonal === true && namesOf(fields.get(row) ?? {})) },
        owner: ownedBy,
        link: portalLink(portals.get(row.tenant) ?? {}, row.entityType, row.entityId),
      }
    }
  }
}

interface Times {
  readonly waiversAt: number
  readonly confirmedAt: number | undefined
}

async function timesOf(
  { store, tenantIds, waivers, now }: ReadFindings,
  mirrored: readonly TenantRow[],
): Promise<(finding: FindingRow) => Times> {
  const confirmed = new Map<string, number>()
  const waiversAt = new Map<string, number>()
  const keyOf = (tenant: string, check: string) => `${tenant} ${check}`
  const newest = await store.latestTime()
  const wanted = tenantIds && new Set(tenantIds)
  const waived = new Set(waivers.map(({ tenant }) => tenant))
  for (const { id, name } of mirrored) {
    if (wanted?.has(id) === false) continue
    if (waived.has(name)) waiversAt.set(name, waiverTime(now, newest, await store.quality(id)))
    for (const state of await store.checkStates(id)) confirmed.set(keyOf(name, state.check), lastConfirmation(state))
  }
  return ({ tenant, check }) => {
    return { waiversAt: waiversAt.get(tenant) ?? now, confirmedAt: confirmed.get(keyOf(tenant, check)) }
  }
}

/** When the findings of a check were last seen; for an unknown check, before it became unknown. */
function lastConfirmation({ status, since, evaluatedAt }: CheckStateRow): number {
  return status === 'unknown' ? since : evaluatedAt
}

function toView(
  row: FindingRow,
  { confirmedAt, waiversAt }: Times,
  matchOf: ReturnType<typeof waiverMatcher>,
): Omit<FindingView, 'owner' | 'link'> {
  const isOpen = row.resolvedAt === null
  const waiver = isOpen ? markOf(matchOf(row, waiversAt), waiversAt) : null
  const driftId = isOpen ? driftIdOf(row) : null
  const lastSeenAt = isOpen ? Math.max(row.lastSeenAt, confirmedAt ?? 0) : row.lastSeenAt
  return {
    fingerprint: row.fingerprint,
    tenant: row.tenant,
    check: row.check,
    entity: { type: row.entityType, id: row.entityId },
    severity: row.severity,
    state: !isOpen ? 'resolved' : waiver?.state === 'active' ? 'waived' : 'open',
    message: row.message,
    evidence: driftId === null ? row.evidence : { ...row.evidence, driftId },
    firstSeen: toIso(row.firstSeenAt),
    lastSeen: toIso(lastSeenAt),
    resolvedAt: isoOrNull(row.resolvedAt),
    resolution: row.resolution,
    reopened: row.reopened,
    waiver,
  }
}
