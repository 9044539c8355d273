import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { type EvaluatedTenant, unmirroredId } from '../evaluate/data-quality.ts'
import { topFindingsMemory } from '../evaluate/findings/open-findings.ts'
import { readNamingFields } from '../evaluate/findings/owners.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import { waiversOf } from '../evaluate/findings/waivers.ts'
import { readPosture } from '../evaluate/read-posture.ts'
import { expiryChecks } from '../metrics/inventory.ts'
import { byExpiry, readSecrets, type TenantFacts } from '../metrics/tenant-facts.ts'
import type { Clock } from '../model/clock.ts'
import { entityTypeOf, namesIn, namesOf } from '../model/entity-names.ts'
import { expiriesOf, type SecretView } from '../model/expiry.ts'
import type { NamedFinding } from '../model/finding.ts'
import { inParts, mapTenants } from '../model/in-turns.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { SkewOf } from '../model/server-clock.ts'
import { total } from '../model/severity.ts'
import { sharedTenants } from '../model/shared-records.ts'
import { trendMemory } from '../report/trend.ts'
import type { Mirror, Stores, TenantChangeRow } from '../store/port.ts'
import type { FindingQuery, TenantViews } from '../web/web-options.ts'
import { metricsConfig } from './metrics-config.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

type TenantNames = string | ReadonlySet<string>

export interface Views extends TenantViews {
  /** Of all tenants, or of those named. */
  posture(tenants?: TenantNames): Promise<readonly TenantPosture[]>
  /** What the metrics show of each tenant of this process. */
  metrics(): Promise<readonly TenantFacts[]>
}

export interface EngineFacts {
  readonly skewOf: (tenant: string, resource: ResourceName) => ReturnType<SkewOf>
  /** False for tenants of other replicas. */
  readonly owns: (tenant: string) => boolean
  readonly unstored: UnstoredRuns
}

/** Without `engine`, shows what the mirror has; a tenant that is not mirrored yet is shown as never read. */
export function createViews(mirror: Mirror, settings: Settings, clock: Clock, engine?: EngineFacts): Views {
  const { waivers, owners, evaluate } = settings
  // Otherwise each tenant would search those of all.
  const waiversOfTenant = Map.groupBy(waivers, ({ tenant }) => tenant)
  const listed = checksOf(settings)
  const names = settings.tenants.map(({ name }) => name)
  const top = topFindingsMemory()
  const trends = trendMemory()
  const seriesConfig = memoizeWeakly((tenant: EvaluatedTenant['settings']) => metricsConfig(tenant, settings))

  async function shownTenants(isWanted: (name: string) => boolean = () => true): Promise<readonly EvaluatedTenant[]> {
    const ids = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
    const sharedBy = await sharedTenants(mirror, names)
    const wanted = settings.tenants.filter(({ name }) => isWanted(name))
    return wanted.map((tenant) => {
      const { name } = tenant
      const sharedWith = sharedBy.get(name)
      return {
        id: ids.get(name) ?? unmirroredId,
        settings: tenant,
        ...(engine && { skewOf: (resource) => engine.skewOf(name, resource) }),
        ...(sharedWith !== undefined && { sharedWith }),
      }
    })
  }

  /** Reads through a mirror, or a snapshot of it. */
  function readerOver(store: Stores) {
    async function postureOf(tenant: EvaluatedTenant): Promise<TenantPosture> {
      const { sharedWith } = tenant
      const posture = await readPosture({
        ...{ store, tenant, checks: listed },
        waivers: waiversOfTenant.get(tenant.settings.name) ?? [],
        now: clock.now(),
        evaluateIntervalMs: evaluate.intervalMs,
      })
      const isShared = sharedWith !== undefined && posture.identity === 'proven'
      const known = isShared ? { ...posture, identity: 'unproven' as const, sharedWith } : posture
      // Runs of a tenant that another replica took over are that one's.
      return engine?.owns(tenant.settings.name) === true ? engine.unstored.over(known) : known
    }

    function secretsOf({ id, settings: { ownClientId } }: EvaluatedTenant): Promise<readonly SecretView[]> {
      return readSecrets(store.records(id), ownClientId)
    }

    async function* findings({ tenant, ...filter }: FindingQuery) {
      const rows = await store.tenants()
      const tenantIds = rows.filter(({ name }) => tenant === undefined || name === tenant).map(({ id }) => id)
      yield* readFindings({ store, waivers, owners, tenants: settings.tenants, now: clock.now(), tenantIds, ...filter })
    }

    async function waivedEntities(
      { tenant, checks: evaluated }: TenantPosture,
      check: string,
    ): Promise<ReadonlyMap<string, number>> {
      const until = new Map<string, number>()
      const waived = evaluated.find((view) => view.check === check)?.waived ?? {}
      if (total(waived) === 0) return until
      const ends = new Map((waiversOfTenant.get(tenant) ?? []).map(({ id, expiresMs }) => [id, expiresMs]))
      for await (const { entity, waiver } of findings({ tenant, check, states: ['waived'] }))
        until.set(entity.id, ends.get(waiver?.id ?? '') ?? 0)
      return until
    }

    async function namedFindings(tenant: EvaluatedTenant, posture: TenantPosture) {
      const { id } = tenant
      const { name } = tenant.settings
      // Before the findings are read, so that a change meanwhile is noticed.
      const lastEventId = await store.lastEventId(id)
      const named: NamedFinding[] = []
      for (const check of listed) {
        const counts = posture.checks.find((view) => view.check === check.id)
        if (counts === undefined) continue
        const own = waiversOf(waiversOfTenant.get(name) ?? [], { tenant: name, check: check.id })
        const of = { store, tenant: { id, name }, lastEventId, check, counts, owners }
        named.push(...(await top({ ...of, waivers: own, now: posture.waiversAt })))
      }
      return named
    }

    async function metricsOf(tenant: EvaluatedTenant): Promise<TenantFacts> {
      const posture = await postureOf(tenant)
      const config = seriesConfig(tenant.settings)
      return {
        ...{ config, posture, owners, settings: tenant.settings },
        findings: await namedFindings(tenant, posture),
        counts: await store.recordCounts(tenant.id),
        secrets: await secretsOf(tenant),
        waived: {
          expired: await waivedEntities(posture, expiryChecks.expired),
          expiring: await waivedEntities(posture, expiryChecks.expiring),
        },
      }
    }

    return { postureOf, secretsOf, findings, metricsOf }
  }

  const { secretsOf, findings } = readerOver(mirror)

  /** In snapshots of ten tenants, each of about 10 ms of work. */
  async function readTenants<T>(
    tenants: readonly EvaluatedTenant[],
    read: (reader: ReturnType<typeof readerOver>, tenant: EvaluatedTenant) => Promise<T>,
  ): Promise<readonly T[]> {
    const parts = await mapTenants([...inParts(tenants, 10)], (part) =>
      mirror.snapshot((store) => Array.fromAsync(part, (tenant) => read(readerOver(store), tenant))),
    )
    return parts.flat()
  }

  return {
    posture: async (names) =>
      readTenants(await shownTenants((name) => isNamed(name, names)), (reader, tenant) => reader.postureOf(tenant)),
    async metrics() {
      const isOwn = (name: string) => engine === undefined || engine.owns(name)
      // A replica that owns no tenant answers without the database.
      if (!settings.tenants.some(({ name }) => isOwn(name))) return []
      const read = await readTenants(await shownTenants(isOwn), (reader, tenant) => reader.metricsOf(tenant))
      // Another replica may have taken a tenant meanwhile.
      return read.filter(({ config }) => isOwn(config.name))
    },
    findings,
    async changes(name, most, withPersonal) {
      const tenant = (await mirror.tenants()).find((one) => one.name === name)
      if (tenant === undefined) return []
      const latest: TenantChangeRow[] = []
      for await (const batch of mirror.changes({ tenantId: tenant.id, newestFirst: true })) {
        latest.push(...batch.slice(0, most - latest.length))
        if (latest.length === most) break
      }
      const changes = latest.map((change) => {
        return { change, tenant: name, entityType: entityTypeOf(change.resource), entityId: change.key }
      })
      const fields = withPersonal ? await readNamingFields(changes, mirror, [tenant]) : null
      return changes.map((one) => ({ ...one.change, names: namesIn(namesOf(fields?.get(one) ?? {})) }))
    },
    async trend(name) {
      const tenant = (await mirror.tenants()).find((one) => one.name === name)
      return tenant === undefined ? null : trends(mirror, tenant, clock.now())
    },
    async secrets(name) {
      const [tenant] = await shownTenants((known) => known === name)
      return tenant === undefined ? [] : byExpiry(await secretsOf(tenant))
    },
    async expiries(name) {
      const tenants = await shownTenants((known) => isNamed(known, name))
      const all = await readTenants(tenants, async (reader, tenant) =>
        expiriesOf(await reader.postureOf(tenant), byExpiry(await reader.secretsOf(tenant))),
      )
      return all.flat().toSorted((a, b) => a.at - b.at)
    },
  }
}

function isNamed(name: string, names: TenantNames | undefined): boolean {
  return names === undefined || (typeof names === 'string' ? names === name : names.has(name))
}
