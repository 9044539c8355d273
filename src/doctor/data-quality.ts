import { distance } from '../model/durations.ts'
import { isFresh } from '../model/freshness.ts'
import { isUntried, type ResourceView, type TenantPosture } from '../model/posture.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** Resources whose data is not fresh, which makes the checks that read it unknown. */
export function diagnoseFreshness(
  { resources, holds }: Pick<TenantPosture, 'resources' | 'holds'>,
  { now, isRunning }: { readonly now: number; readonly isRunning: boolean },
): Diagnosis {
  const outdated = resources.filter(({ enabled, fresh }) => enabled && !fresh)
  if (outdated.length === 0) return fine('freshness', 'no resource is older than its freshness limit')
  const held = new Set<string>(holds.map(({ resource }) => resource))
  const isTenantHeld = held.has('all')
  const kinds = Map.groupBy(outdated, (view) => {
    const { resource, dataAsOf, freshnessLimitMs } = view
    if (dataAsOf === null) return isRunning && isUntried(view) ? 'first' : 'never'
    return held.has(resource) || (isTenantHeld && isFresh(dataAsOf, freshnessLimitMs, now)) ? 'held' : 'stale'
  })
  const named = (what: string, kind: 'first' | 'never' | 'held') => {
    const found = kinds.get(kind) ?? []
    return found.length === 0 ? [] : [`${what}: ${namesOf(found)}`]
  }
  const stale = kinds.get('stale') ?? []
  const oldest = Math.min(...stale.flatMap(({ dataAsOf }) => dataAsOf ?? []))
  const sentences = [
    ...(stale.length > 0 ? [`stale: ${namesOf(stale)} (the oldest was read ${distance(oldest, now)})`] : []),
    ...named('the first full sync is under way', 'first'),
    ...named('never completely read', 'never'),
    ...named('on hold, not evaluated', 'held'),
  ]
  const unknown = `Checks that read ${outdated.length === 1 ? 'it' : 'them'} are unknown`
  const unheld = outdated.filter(({ resource }) => !isTenantHeld && !held.has(resource))
  const onHold = unheld.length < outdated.length ? '; for the hold see "tenantwatch accept"' : ''
  const first = kinds.get('first')?.length ?? 0
  const remedy = isRunning ? 'The page shows why runs fail' : 'Start the engine; if its runs fail, its page shows why'
  const advice =
    unheld.length === 0
      ? `${unknown} until the hold has ended; see "tenantwatch accept"`
      : first === outdated.length
        ? `${unknown} until it has ended`
        : `${unknown}. ${remedy}${onHold}`
  return warning('freshness', sentences.join('; '), advice)
}

/** True until a first full sync has completed. */
export function isUnmirrored({ resources }: Pick<TenantPosture, 'resources'>): boolean {
  return resources.every(({ dataAsOf }) => dataAsOf === null)
}

function namesOf(found: readonly ResourceView[]): string {
  return found.map(({ resource }) => resource).join(', ')
}

/** Records that no check reads, because they are invalid. */
export function diagnoseQuarantine({ resources }: Pick<TenantPosture, 'resources'>): readonly Diagnosis[] {
  const counts = resources.filter(({ quarantined }) => quarantined > 0)
  if (counts.length === 0) return []
  const sentence = `quarantined records: ${counts.map(({ resource, quarantined }) => `${quarantined} of ${resource}`).join(', ')}`
  return [warning('quarantine', sentence, '"tenantwatch doctor --quarantine" names them and what is wrong with each')]
}
