import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { clocksAgree, type InputQuality, type Resolution } from '../../model/check-status.ts'
import { recordsOfEntity } from '../../model/entity-names.ts'
import { fingerprintOf } from '../../model/finding.ts'
import { inParts } from '../../model/in-turns.ts'
import type { SeverityCounts } from '../../model/severity.ts'
import type {
  CheckResult,
  FindingRow,
  OpenFindingDigest,
  RecordPresence,
  ResolvedFinding,
  StoredFinding,
  WaiverLapse,
  WrittenFinding,
} from '../../store/port.ts'
import { type Check, ok } from '../check.ts'
import type { CheckRun } from '../check-run.ts'
import type { CheckTally, NewFailure, PassingEntity } from '../check-tally.ts'
import { isSameEntity } from './identity.ts'
import { lapsesOf } from './waivers.ts'

/** Findings that are compared at once, to bound the time of a query. */
const atOnce = 250

/**
 * How an evaluation changes the findings of a check.
 *
 * @param tally null if the check could not be evaluated.
 */
export async function findingChanges(
  run: CheckRun,
  tally: CheckTally | null,
): Promise<Pick<CheckResult, 'written' | 'resolved' | 'lapsed' | 'open'>> {
  const written: WrittenFinding[] = []
  const lapsed: WaiverLapse[] = []
  for (const part of inParts(tally?.failures ?? [], atOnce)) {
    const { findings, stored } = await writtenOf(run, part)
    written.push(...findings)
    lapsed.push(...(await lapsesOf(run, findings, stored)))
    await yieldToEventLoop()
  }
  const open: SeverityCounts = { ...tally?.severities }
  const resolved: ResolvedFinding[] = []
  const passing = [...run.open].flatMap(([entityId, finding]) =>
    tally?.failingOpen.has(entityId) === true ? [] : [finding],
  )
  for (const part of inParts(passing, atOnce)) {
    const resolutions = await resolutionsOf(run, tally, part)
    for (const { fingerprint, severity } of part) {
      const resolution = resolutions.get(fingerprint) ?? null
      if (resolution === null) open[severity] = (open[severity] ?? 0) + 1
      else resolved.push({ fingerprint, severity, resolution })
    }
    await yieldToEventLoop()
  }
  return { written, resolved, lapsed, open }
}

async function writtenOf({ check, request }: CheckRun, failures: readonly NewFailure[]) {
  const { store, tenant, now } = request
  const { type: entityType } = check.entity
  const identity = { tenant: tenant.settings.name, check: check.id, entityType }
  const found = failures.map((failure) => {
    return { ...failure, entityType, fingerprint: fingerprintOf({ ...identity, entityId: failure.entityId }) }
  })
  const rows = await store.storedFindings(found.map(({ fingerprint }) => fingerprint))
  const stored = new Map(rows.map((row) => [row.fingerprint, row]))
  const findings = found.map((finding): WrittenFinding => {
    const known = stored.get(finding.fingerprint)
    const kind = kindOf(known, finding.evidence)
    switch (kind) {
      case 'opened':
      case 'replaced':
        return { ...finding, kind, firstSeenAt: now, reopened: 0, replacesOpen: known?.resolvedAt === null }
      case 'reopened':
      case 'changed': {
        const { firstSeenAt = now, reopened = 0 } = known ?? {}
        const times = kind === 'reopened' ? reopened + 1 : reopened
        return { ...finding, kind, firstSeenAt, reopened: times, replacesOpen: false }
      }
      default:
        return kind satisfies never
    }
  })
  return { findings, stored }
}

/** `replaced`: the id was given to another entity, so that the finding ends and a new one begins. */
function kindOf(known: StoredFinding | undefined, evidence: string): WrittenFinding['kind'] {
  if (known === undefined) return 'opened'
  if (!isSameEntity(JSON.parse(known.evidence), JSON.parse(evidence))) return 'replaced'
  return known.resolvedAt === null ? 'changed' : 'reopened'
}

async function resolutionsOf(
  run: CheckRun,
  tally: CheckTally | null,
  findings: readonly OpenFindingDigest[],
): Promise<ReadonlyMap<string, Resolution>> {
  const { check, request, quality } = run
  const { store, tenant, now, signal } = request
  const resolutions = new Map<string, Resolution>()
  signal?.throwIfAborted()
  // A removed record may belong to the other tenant.
  if (quality.sharedWith !== undefined) return resolutions
  const keys = findings.map(({ entityId }) => entityId)
  // Also for an own check of users, say, which is evaluated without their records.
  const resource = recordsOfEntity(check.entity.type)
  const presence = resource === undefined ? null : await store.presence(tenant.id, resource, keys)
  const stored = await store.storedFindings(findings.map(({ fingerprint }) => fingerprint))
  const evidence = new Map(stored.map((row) => [row.fingerprint, JSON.parse(row.evidence) as FindingRow['evidence']]))
  for (const { fingerprint, entityId, entityType } of findings) {
    const passing = entityType === check.entity.type ? tally?.passing.get(entityId) : undefined
    const known = { evidence: evidence.get(fingerprint) ?? {}, presence: presence?.get(entityId), passing }
    const resolution = resolutionOf(run, tally === null, known)
    if (resolution === null) continue
    const isOfWrongClock = resolution === 'fixed' && check.timeBased && (await store.isOfWrongClock(fingerprint, now))
    resolutions.set(fingerprint, isOfWrongClock ? 'clock_corrected' : resolution)
  }
  return resolutions
}

/** What is known of the entity of an open finding that no longer fails. */
interface Ending {
  readonly evidence: FindingRow['evidence']
  /** Undefined if the entity is named like no record, or if the row of the record is gone. */
  readonly presence: RecordPresence | undefined
  /** Undefined if the evaluation did not find the entity. */
  readonly passing: PassingEntity | undefined
}

/** Null keeps the finding open: an input is stale or partial, or a row is gone (docs/internals/status.md#findings). */
function resolutionOf(
  { check, inputs, rule }: CheckRun,
  isUnevaluated: boolean,
  { evidence, presence, passing }: Ending,
): Resolution | null {
  const { isRecord } = check.entity
  if (inputs.some((input) => input.off)) return 'not_applicable'
  if (isRecord && presence !== 'live') return presence === 'removed' ? 'entity_removed' : null
  const outcome = passing?.outcome ?? ok
  const isTracked = isRecord || (outcome.kind === 'ok' && outcome.isCertain === true)
  // A record that appeared during the evaluation is left to the next one.
  if (isUnevaluated || !isFreshAndComplete(check, inputs, isTracked) || (isRecord && passing === undefined)) return null
  const identity = passing?.identity ?? null
  if (identity !== null && evidence['identity'] !== undefined && !isSameEntity(evidence, { identity }))
    return 'entity_removed'
  if (presence === 'removed') return 'entity_removed'
  switch (outcome.kind) {
    case 'not_applicable':
      return 'not_applicable'
    case 'not_evaluated':
      return outcome.accepts !== undefined && evidence[outcome.accepts] === true ? 'rule_changed' : null
    case 'ok':
      if (outcome.acceptedAt !== undefined && outcome.acceptedAt !== evidence['acceptedAt']) return 'rule_changed'
      // The configuration of the check may have changed since the entity last failed.
      return outcome.resolution ?? ((evidence['rule'] ?? rule) === rule ? 'fixed' : 'rule_changed')
    case 'fails':
      return null
    default:
      return outcome satisfies never
  }
}

/** Partial states of the evaluated resource that the mirror tracks for each record. */
const trackedByRecord: ReadonlySet<string> = new Set(['quarantined', 'missing_records'])

/** @param isTracked true for an entity that such a state of other records does not concern. */
function isFreshAndComplete(check: Check, inputs: readonly InputQuality[], isTracked: boolean): boolean {
  if (inputs.some((input) => input.blocked !== null)) return false
  if (check.timeBased && !clocksAgree(inputs)) return false
  return inputs.every(({ resource, partial }) => {
    const mayBePartial = isTracked && resource === check.evaluates
    return partial.length === 0 || (mayBePartial && partial.every((reason) => trackedByRecord.has(reason)))
  })
}
