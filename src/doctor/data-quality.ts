import { distance } from '../model/durations.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** Resources whose data is older than its freshness limit, which makes the checks that read it unknown. */
export function diagnoseFreshness({ resources }: Pick<TenantPosture, 'resources'>, now: number): Diagnosis {
  const enabled = resources.filter((one) => one.enabled)
  const stale = enabled.filter(({ fresh }) => !fresh)
  if (stale.length === 0) return fine('freshness', 'no resource is older than its freshness limit')
  const readAt = stale.flatMap(({ dataAsOf }) => dataAsOf ?? [])
  const oldest = readAt.length < stale.length ? 'never read completely' : `read ${distance(Math.min(...readAt), now)}`
  const sentence = `stale: ${stale.map(({ resource }) => resource).join(', ')} (the oldest was ${oldest})`
  const advice = 'Checks that read it are unknown. Start the engine, or see on the page why its runs fail'
  return warning('freshness', sentence, advice)
}

/** Records that no check reads, because they could not be read. */
export function diagnoseQuarantine({ resources }: Pick<TenantPosture, 'resources'>): readonly Diagnosis[] {
  const counts = resources.filter(({ quarantined }) => quarantined > 0)
  if (counts.length === 0) return []
  const sentence = `quarantined records: ${counts.map(({ resource, quarantined }) => `${quarantined} of ${resource}`).join(', ')}`
  return [warning('quarantine', sentence, '"tenantwatch doctor --quarantine" names them and what is wrong with each')]
}
