import type { Check } from '../../src/evaluate/check.ts'
import { minuteMs, secondMs } from '../../src/model/durations.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { FullSyncLog } from './full-sync-log.ts'
import type { Oracle, OracleParts } from './oracle.ts'

type Reporter = Pick<Oracle, 'fullSyncs' | 'report'>

const evaluationTakesMs = 30 * secondMs

/** A check passes only on inputs that are fresh and whole. */
export function checkInputs(
  oracle: Reporter,
  parts: Pick<OracleParts, 'wall'>,
  view: CheckView,
  posture: TenantPosture,
  inputs: readonly ResourceName[],
): void {
  checkAges(oracle, parts, view, posture, inputs)
  checkWhole(oracle, view, posture, inputs)
}

/** "older than its freshness limit", by this machine's clock: what it was set back, the data look younger. */
function checkAges(
  oracle: Reporter,
  { wall }: Pick<OracleParts, 'wall'>,
  { check }: CheckView,
  { resources }: TenantPosture,
  inputs: readonly ResourceName[],
): void {
  for (const { resource, freshnessLimitMs } of resources.filter((one) => inputs.includes(one.resource))) {
    const age = wall.leastAge(oracle.fullSyncs.latest(resource))
    if (age > freshnessLimitMs + evaluationTakesMs) {
      oracle.report('false_green', `${check} passes on ${resource} that are ${age / minuteMs} min old`)
    }
  }
}

/** "`unknown` if an input is partial (quarantine, shrink hold, suspect empty, …, `missing` records …)" or on hold. */
function checkWhole(
  oracle: Reporter,
  { check }: CheckView,
  { resources, holds }: TenantPosture,
  inputs: readonly ResourceName[],
): void {
  for (const { resource, quarantined, missing } of resources.filter((one) => inputs.includes(one.resource))) {
    const held = holds.filter((hold) => hold.resource === resource || hold.resource === 'all').length
    const flaws = { quarantined, missing, held }
    for (const [flaw, count] of Object.entries(flaws)) {
      if (count > 0) oracle.report('false_green', `${check} passes although ${count} of ${resource} are ${flaw}`)
    }
  }
}

/**
 * True for a record that the tenant did not show in its present form: it bled out of a list within the guard's budget,
 * or it was left out where another request confirms its presence alone (docs/internals/sync.md#5-removal).
 *
 * @param evaluatedAt wall time of the check result; what came back to the list after it could not count.
 */
export function isUnshown(
  { ledger, world, wall }: Pick<OracleParts, 'ledger' | 'wall' | 'world'>,
  check: Check,
  id: string,
  evaluatedAt: number | null,
  fullSyncs: Pick<FullSyncLog, 'lastSeen'>,
): boolean {
  const { evaluates } = check
  const at = evaluatedAt === null ? null : wall.worldTimeOf(evaluatedAt)
  // What was hidden and is shown again counts from the next full sync on.
  const from = Math.min(at ?? Number.NEGATIVE_INFINITY, fullSyncs.lastSeen(evaluates))
  const isBack = (one: string) => at !== null && ledger.shownAt(evaluates, one) <= at
  const isLost = (one: string) => {
    const record = `${evaluates} ${one}`
    return ledger.bled.has(record) || (ledger.everBled.has(record) && !isBack(one))
  }
  if (check.id === 'document-name-unique') {
    return [...world.documents.live()].some(
      ({ fileId, filename }) =>
        filename === id && (isLost(fileId) || ledger.hiddenSince('documents', fileId, from) !== null),
    )
  }
  if (isLost(id)) return true
  const shownAt = ledger.hiddenSince(evaluates, id, from)
  if (!check.entity.isRecord || shownAt === null) return false
  if (evaluates !== 'users' && evaluates !== 'documents') return shownAt === Number.NEGATIVE_INFINITY
  return world[evaluates].within(id, shownAt, world.time.now).length > 1
}
