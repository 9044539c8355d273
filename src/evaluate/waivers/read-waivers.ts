import type { Waiver } from '../../config/settings.ts'
import { guidKey } from '../../model/guid.ts'
import type { WaiverState, WaiverView } from '../../model/posture.ts'
import type { PostureStore } from '../../store/port.ts'
import { type Check, inputsOf } from '../check.ts'
import { settingsOf } from '../check-settings.ts'
import { type EvaluatedTenant, inputQualities, type TenantDataQuality } from '../data-quality.ts'
import { type Coverage, fingerprintsOf } from '../findings/open-findings.ts'
import { anyEntity, isValid } from './waivers.ts'

export interface ReadWaivers {
  readonly store: PostureStore
  readonly tenant: EvaluatedTenant
  readonly quality: TenantDataQuality
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly coverage: ReadonlyMap<string, Coverage>
  readonly now: number
}

export async function readWaivers(request: ReadWaivers): Promise<readonly WaiverView[]> {
  const { tenant, waivers, coverage } = request
  const views: WaiverView[] = []
  for (const waiver of waivers.filter((one) => one.tenant === tenant.settings.name)) {
    const { id, check, entity, owner, reason, expiresMs: expiresAt } = waiver
    const counts = coverage.get(id) ?? { covered: 0, lapsed: 0, openAgain: 0 }
    const { covered, openAgain: lapsed } = counts
    const state = await stateOf(request, waiver, counts)
    views.push({ id, check, entity, owner, reason, expiresAt, state, covered, lapsed })
  }
  return views
}

async function stateOf(request: ReadWaivers, waiver: Waiver, { covered, lapsed }: Coverage): Promise<WaiverState> {
  if (!isValid(waiver, request.now)) return 'expired'
  if (covered > 0) return 'active'
  if (lapsed > 0) return 'lapsed'
  return (await isOrphaned(request, waiver)) ? 'orphaned' : 'active'
}

/** True if the check is off, or a complete full sync did not return the entity. */
async function isOrphaned({ store, tenant, quality, checks }: ReadWaivers, waiver: Waiver): Promise<boolean> {
  const check = checks.find(({ id }) => id === waiver.check)
  if (check === undefined || !settingsOf(check, tenant.settings).enabled) return true
  const inputs = inputQualities(quality, inputsOf(check))
  if (inputs.some((input) => input.off)) return true
  if (waiver.entity === anyEntity || !inputs.every((input) => input.everComplete)) return false
  if (check.entity.isRecord) return !(await store.isLive(tenant.id, check.evaluates, guidKey(waiver.entity)))
  const fingerprints = fingerprintsOf(waiver, check)
  const filter = { tenantIds: [tenant.id], check: check.id, fingerprints, all: true }
  for await (const batch of store.findings(filter)) if (batch.length > 0) return false
  return true
}
