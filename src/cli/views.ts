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

/** Views over the configured tenants; one that is not in the mirror yet is shown as never read. */
export function createViews(mirror: Mirror, settings: Settings, clock: Clock): Views {
  const { waivers, evaluate } = settings

  async function judged(): Promise<readonly JudgedTenant[]> {
    const rows = await mirror.tenants()
    return settings.tenants.map((tenant) => {
      const row = rows.find(({ name }) => name === tenant.name)
      return { id: row?.id ?? unmirroredId, settings: tenant }
    })
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
    posture: async () => Promise.all((await judged()).map(postureOf)),
    readings: async () =>
      Promise.all(
        (await judged()).map(async (tenant) => ({
          posture: await postureOf(tenant),
          records: mirror.records(tenant.id),
          settings: tenant.settings,
        })),
      ),
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
