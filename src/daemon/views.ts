import { checksOf } from '../checks/index.ts'
import { brokenCheck } from '../checks/own/own-check.ts'
import type { OwnChecksSettings } from '../config/own-checks.ts'
import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { type EvaluatedTenant, unmirroredId } from '../evaluate/data-quality.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import { topFindingsMemory } from '../evaluate/findings/top-findings.ts'
import { readPosture } from '../evaluate/read-posture.ts'
import { waiversByTenant, waiversOf } from '../evaluate/waivers/waivers.ts'
import { readClientSecrets } from '../metrics/client-secrets.ts'
import type { TenantReading } from '../metrics/tenant-facts.ts'
import type { ChangeView } from '../model/change.ts'
import type { SecretView } from '../model/client-secret.ts'
import type { Clock } from '../model/clock.ts'
import { namesIn, namesOf } from '../model/entity-names.ts'
import type { Expiry } from '../model/expiry.ts'
import type { FindingView, NamedFinding } from '../model/finding.ts'
import { mapTenants } from '../model/map-tenants.ts'
import { memoize, memoizeWeakly } from '../model/memoize.ts'
import type { CheckView, TenantPosture } from '../model/posture.ts'
import { resourceNames } from '../model/resource-names.ts'
import type { SkewOf } from '../model/server-clock.ts'
import { hasAny } from '../model/severity.ts'
import { withEntityNames } from '../report/entity-names.ts'
import { batches } from '../report/formats.ts'
import type { CheckStateRow, Mirror, TenantChangeRow } from '../store/port.ts'
import { personalFields } from '../store/records/record-shape.ts'
import { oneOf } from '../store/words.ts'
import type { FindingQuery } from '../web/web-options.ts'
import { sharedTenants } from './shared-tenants.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

type TenantNames = string | ReadonlySet<string>

export interface Views {
  /** Of all tenants, or of those named. */
  posture(tenants?: TenantNames): Promise<readonly TenantPosture[]>
  readings(): Promise<readonly TenantReading[]>
  findings(query: FindingQuery): AsyncIterable<FindingView>
  findingBatches(query: FindingQuery): AsyncIterable<readonly FindingView[]>
  secrets(tenant: string): Promise<readonly SecretView[]>
  changes(tenant: string, most: number, withPersonal: boolean): Promise<readonly ChangeView[]>
  expiries(tenant?: string): Promise<readonly Expiry[]>
}

export interface EngineFacts {
  readonly skewOf: (tenant: string) => SkewOf
  /** Store of a tenant that this process owns; null for tenants of other replicas. */
  readonly storeOf: (tenant: string) => Mirror | null
  readonly unstored: Pick<UnstoredRuns, 'over'>
}

interface Shown extends EvaluatedTenant {
  readonly store: Mirror
  /** `store.unconfirmedTime`, which belongs to no tenant: read once for all tenants that are shown together. */
  readonly unconfirmedTime: () => Promise<number | null>
}

/** Without `engine`, shows what the mirror has; a tenant that is not mirrored yet is shown as never read. */
export function createViews(mirror: Mirror, settings: Settings, clock: Clock, engine?: EngineFacts): Views {
  const { waivers, evaluate } = settings
  const waiversOfTenant = waiversByTenant(waivers)
  const listed = checksOf(settings)
  const names = settings.tenants.map(({ name }) => name)
  const shared = sharedTenants(names, clock)
  const topOf = memoizeWeakly((_: Mirror) => topFindingsMemory())
  // What the owner of a tenant has in memory is newer. Everything else is read by the connections that wait for no run.
  const shownOf = memoizeWeakly(({ checkStates, dataVersion, findingVersion }: Mirror): Mirror => {
    return { ...mirror, checkStates, dataVersion, findingVersion }
  })

  async function evaluated(): Promise<readonly Shown[]> {
    const ids = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
    let newest: Promise<number | null> | undefined
    const unconfirmedTime = () => {
      newest ??= mirror.unconfirmedTime()
      return newest
    }
    const sharedBy = await shared.read(mirror)
    return settings.tenants.map((tenant) => {
      const sharedWith = sharedBy.get(tenant.name)
      const known = {
        id: ids.get(tenant.name) ?? unmirroredId,
        settings: tenant,
        store: mirror,
        unconfirmedTime,
        ...(sharedWith !== undefined && { sharedWith }),
      }
      if (engine === undefined) return known
      const own = engine.storeOf(tenant.name)
      return { ...known, store: own === null ? mirror : shownOf(own), skewOf: engine.skewOf(tenant.name) }
    })
  }

  async function ofEach<T>(
    read: (tenant: Shown) => Promise<T>,
    isWanted: (tenant: Shown) => boolean = () => true,
  ): Promise<readonly T[]> {
    return mapTenants((await evaluated()).filter(isWanted), read)
  }

  async function checksFor({ id, store }: Shown): Promise<readonly Check[]> {
    const { ownChecks } = settings
    return ownChecks.incomplete ? [...listed, ...unreadChecks(ownChecks, listed, await store.checkStates(id))] : listed
  }

  async function postureOf(tenant: Shown): Promise<TenantPosture> {
    const now = clock.now()
    const checks = await checksFor(tenant)
    const evaluateIntervalMs = evaluate.intervalMs
    const own = waiversOfTenant.get(tenant.settings.name) ?? []
    const { store } = tenant
    const posture = await readPosture({
      store: { ...store, unconfirmedTime: tenant.unconfirmedTime },
      tenant,
      checks,
      waivers: own,
      now,
      evaluateIntervalMs,
    })
    const { sharedWith } = tenant
    const isShared = sharedWith !== undefined && posture.identity === 'proven'
    const known = isShared ? { ...posture, identity: 'unproven' as const, sharedWith } : posture
    const shown = await withProblems(known, { checks, store, tenantId: tenant.id })
    return engine === undefined ? shown : engine.unstored.over(shown)
  }

  function secretsOf({ id, settings: { ownClientId }, store }: Shown): Promise<readonly SecretView[]> {
    return readClientSecrets(store.records(id), ownClientId)
  }

  async function expiriesOf(tenant: Shown): Promise<readonly Expiry[]> {
    const { name } = tenant.settings
    const secrets = await secretsOf(tenant)
    const ends = (await postureOf(tenant)).waivers
    return [
      ...secrets.map(({ clientId: id, expiresAt: at, ...secret }) => {
        return { kind: 'secret' as const, tenant: name, id, ...secret, at }
      }),
      ...ends.map(({ id, check, entity, owner, reason, state, expiresAt: at }) => {
        return { kind: 'waiver' as const, tenant: name, id, check, entity, owner, reason, state, at }
      }),
    ]
  }

  async function* findings({ tenant, check, states, withPersonal = false, ...rest }: FindingQuery) {
    const rows = await mirror.tenants()
    const shown = rows.filter(({ name }) => tenant === undefined || name === tenant).map(({ id }) => id)
    const filter = { ...(check !== undefined && { check }), ...(states !== undefined && { states }) }
    const found = readFindings({ store: mirror, waivers, now: clock.now(), tenantIds: shown, ...rest, ...filter })
    yield* withPersonal ? withEntityNames(found, { source: mirror, tenants: rows }) : found
  }

  async function waivedEntities(
    { tenant, checks: evaluated }: TenantPosture,
    check: string,
  ): Promise<ReadonlyMap<string, number>> {
    const until = new Map<string, number>()
    const waived = evaluated.find((view) => view.check === check)?.waived ?? {}
    if (Object.values(waived).every((count) => count === 0)) return until
    const ends = new Map((waiversOfTenant.get(tenant) ?? []).map(({ id, expiresMs }) => [id, expiresMs]))
    for await (const { entity, waiver } of findings({ tenant, check, states: ['waived'] }))
      until.set(entity.id, ends.get(waiver?.id ?? '') ?? 0)
    return until
  }

  async function namedFindings(tenant: Shown, posture: TenantPosture) {
    const {
      id,
      settings: { name },
      store,
    } = tenant
    const top = topOf(store)
    const named: NamedFinding[] = []
    for (const check of await checksFor(tenant)) {
      const counts = posture.checks.find((view) => view.check === check.id)
      if (counts === undefined) continue
      const own = waiversOf(waiversOfTenant.get(name) ?? [], { tenant: name, check: check.id })
      const request = { store, tenant: { id, name }, check, counts, waivers: own, now: posture.waiversAt }
      named.push(...(await top(request)))
    }
    return named
  }

  async function readings(): Promise<readonly TenantReading[]> {
    const isOwn = (name: string) => engine === undefined || engine.storeOf(name) !== null
    // A replica that owns no tenant answers without the database.
    if (!settings.tenants.some(({ name }) => isOwn(name))) return []
    const reading = async (tenant: Shown) => {
      const posture = await postureOf(tenant)
      const findings = await namedFindings(tenant, posture)
      return {
        posture,
        findings,
        records: tenant.store.records(tenant.id),
        counts: await tenant.store.recordCounts(tenant.id),
        settings: tenant.settings,
        waived: memoize((check: string) => waivedEntities(posture, check)),
      }
    }
    return ofEach(reading, ({ settings: { name } }) => isOwn(name))
  }

  return {
    posture: (names) => ofEach(postureOf, (tenant) => isNamed(tenant, names)),
    readings,
    findings,
    findingBatches: (query) => batches(findings(query)),
    async changes(name, most, withPersonal) {
      const tenant = (await mirror.tenants()).find((one) => one.name === name)
      if (tenant === undefined) return []
      const latest: TenantChangeRow[] = []
      for await (const batch of mirror.changes({ tenantId: tenant.id, newestFirst: true })) {
        latest.push(...batch.slice(0, most - latest.length))
        if (latest.length === most) break
      }
      const names = withPersonal ? await namesOfRecords(mirror, tenant.id, latest) : null
      return latest.map((change) => changeView(change, names?.get(change.resource)?.get(change.key)))
    },
    async secrets(name) {
      const tenant = (await evaluated()).find(({ settings: { name: known } }) => known === name)
      return tenant === undefined ? [] : secretsOf(tenant)
    },
    async expiries(name) {
      const all = await ofEach(async (tenant) => (isNamed(tenant, name) ? expiriesOf(tenant) : []))
      return all.flat().toSorted((a, b) => a.at - b.at)
    },
  }
}

/** Personal fields of the changed records, by resource and key. */
async function namesOfRecords(mirror: Mirror, tenantId: number, changes: readonly TenantChangeRow[]) {
  const names = new Map<string, Awaited<ReturnType<Mirror['personal']>>>()
  for (const [resource, group] of Map.groupBy(changes, (change) => oneOf(resourceNames, change.resource)))
    names.set(resource, await mirror.personal(tenantId, resource, [...new Set(group.map(({ key }) => key))]))
  return names
}

function changeView(
  { resource, key, ...change }: TenantChangeRow,
  fields: Readonly<Record<string, unknown>> = {},
): ChangeView {
  const { at, kind, field, before, after, requestId } = change
  const personal = field !== null && personalFields(resource).includes(field)
  const names = namesIn(namesOf(fields))
  return { resource, entity: key, names, at, kind, field, before, after, requestId, personal }
}

function isNamed({ settings: { name } }: EvaluatedTenant, names: TenantNames | undefined): boolean {
  return names === undefined || (typeof names === 'string' ? names === name : names.has(name))
}

/** Own checks that have open findings but could not be read: without their series the findings would look fixed. */
function unreadChecks(
  { folder }: Pick<OwnChecksSettings, 'folder'>,
  listed: readonly Check[],
  states: readonly CheckStateRow[],
): readonly Check[] {
  if (folder === null) return []
  const known = new Set(listed.map(({ id }) => id))
  const unread = states.filter(({ check, open }) => !known.has(check) && hasAny(open))
  return unread.map(({ check: id }) => brokenCheck({ id, file: folder, problem: `the file of ${id} cannot be read` }))
}

/** Adds problems of own checks and the entities that other checks could not evaluate. */
async function withProblems(
  posture: TenantPosture,
  { checks, store, tenantId }: { readonly checks: readonly Check[]; readonly store: Mirror; readonly tenantId: number },
): Promise<TenantPosture> {
  const own = new Map(checks.flatMap((check) => (check.own === undefined ? [] : [[check.id, check.own] as const])))
  if (own.size === 0 && posture.checks.every(({ notEvaluated }) => (notEvaluated ?? 0) === 0)) return posture
  const noted = new Map((await store.checkStates(tenantId)).map(({ check, problem }) => [check, problem]))
  const notesOf = ({ check, enabled, notEvaluated }: CheckView): Partial<CheckView> => {
    const [source, note] = [own.get(check), noted.get(check)]
    if (!enabled) return {}
    if (source !== undefined && source.problem !== null) return { problem: `${source.file}: ${source.problem}` }
    if (note == null) return {}
    if (source !== undefined) return { problem: note }
    return (notEvaluated ?? 0) > 0 ? { unevaluated: JSON.parse(note) as readonly string[] } : {}
  }
  return { ...posture, checks: posture.checks.map((view) => ({ ...view, ...notesOf(view) })) }
}
