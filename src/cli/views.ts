import { setImmediate as letOthersIn } from 'node:timers/promises'
import { checks } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { readFindings } from '../evaluate/read-findings.ts'
import { readPosture } from '../evaluate/read-posture.ts'
import { type JudgedTenant, unmirroredId } from '../evaluate/tenant-trust.ts'
import type { TenantReading } from '../metrics/gather-gauges.ts'
import type { Mirror } from '../mirror/port.ts'
import type { Clock } from '../model/clock.ts'
import type { FindingView } from '../model/finding.ts'
import type { TenantPosture } from '../model/posture.ts'
import { severities } from '../model/severity.ts'
import { readClientSecrets } from '../resources/api-clients-gauges.ts'
import type { FindingQuery, SecretView } from '../web/web-options.ts'

/** What every output reads: the mirror, with the present applied to it. */
export interface Views {
  posture(): Promise<readonly TenantPosture[]>
  readings(): Promise<readonly TenantReading[]>
  findings(query: FindingQuery): AsyncIterable<FindingView>
  findingBatches(query: FindingQuery): AsyncIterable<readonly FindingView[]>
  secrets(tenant: string): Promise<readonly SecretView[]>
}

const tenantsAtOnce = 16

/** Views over the configured tenants; one that is not in the mirror yet is shown as never read. */
export function createViews(mirror: Mirror, settings: Settings, clock: Clock): Views {
  const { waivers, evaluate } = settings

  async function judged(): Promise<readonly JudgedTenant[]> {
    const ids = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
    return settings.tenants.map((tenant) => ({ id: ids.get(tenant.name) ?? unmirroredId, settings: tenant }))
  }

  /** One tenant after the other; with many of them, other work runs in between. */
  async function ofEach<T>(read: (tenant: JudgedTenant) => Promise<T>): Promise<readonly T[]> {
    const all: T[] = []
    for (const tenant of await judged()) {
      if (all.length % tenantsAtOnce === tenantsAtOnce - 1) await letOthersIn()
      all.push(await read(tenant))
    }
    return all
  }

  async function postureOf(tenant: JudgedTenant): Promise<TenantPosture> {
    const now = clock.now()
    return readPosture({ store: mirror, tenant, checks, waivers, now, evaluateIntervalMs: evaluate.intervalMs })
  }

  async function* findings({ tenant, check, severities: wanted = severities, states }: FindingQuery) {
    const rows = await mirror.tenants()
    const shown = rows.filter(({ name }) => tenant === undefined || name === tenant).map(({ id }) => id)
    const filter = { ...(check !== undefined && { check }), ...(states !== undefined && { states }) }
    const found = readFindings({ store: mirror, waivers, now: clock.now(), tenantIds: shown, ...filter })
    for await (const finding of found) if (wanted.includes(finding.severity)) yield finding
  }

  return {
    posture: () => ofEach(postureOf),
    readings: () =>
      ofEach(async (tenant) => ({
        posture: await postureOf(tenant),
        records: mirror.records(tenant.id),
        settings: tenant.settings,
      })),
    findings,
    findingBatches: (query) => batches(findings(query)),
    async secrets(tenant) {
      const row = (await mirror.tenants()).find(({ name }) => name === tenant)
      return row === undefined ? [] : readClientSecrets(mirror.records(row.id))
    },
  }
}

async function* batches<T>(items: AsyncIterable<T>, size = 200): AsyncIterable<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
