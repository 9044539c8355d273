import { hash } from 'node:crypto'
import type { Severity, SeverityCounts } from '../model/severity.ts'
import type { OpenFindingDigest } from '../store/port.ts'
import type { ChangeRow, MirrorRecord } from '../store/records/query.ts'
import { type CheckFacts, type Evaluator, type Failure, type NotEvaluatedReason, type Outcome, ok } from './check.ts'
import { identityOf } from './findings/identity.ts'

const maxUnevaluatedIds = 10

/** A failing entity whose open finding differs, or that has none. */
export interface NewFailure extends Omit<Failure, 'evidence'> {
  readonly entityId: string
  /** JSON, which takes less memory. */
  readonly evidence: string
  readonly digest: string
}

/** Outcome of an entity that has an open finding and does not fail. */
export interface PassingEntity {
  readonly outcome: Outcome
  /** `identityOf` the record; null if the entity is no record. */
  readonly identity: Readonly<Record<string, unknown>> | null
}

export interface TalliedCheck {
  readonly check: Pick<CheckFacts, 'entity'>
  /** Replaces the severity of failures; null = as the check states. */
  readonly severity: Severity | null
  readonly rule: string
  /** By entity id. */
  readonly open: ReadonlyMap<string, OpenFindingDigest>
  /** True while the clocks differ: failing entities without an open finding do not count. */
  readonly isFrozen: boolean
}

/** Sums up the outcomes of one evaluation of a check. */
export class CheckTally {
  population = 0
  notEvaluated = 0
  notEvaluatedFor: NotEvaluatedReason = 'ambiguous'
  readonly unevaluated: string[] = []
  /** First instant at which time alone changes the result; infinite = never. */
  until = Number.POSITIVE_INFINITY
  failing = 0
  /** Failing entities by severity. */
  readonly severities: SeverityCounts = {}
  readonly failures: NewFailure[] = []
  /** Entities of open findings. */
  readonly failingOpen = new Set<string>()
  readonly passing = new Map<string, PassingEntity>()
  /** Why the check failed; null while it did not. */
  error: unknown = null
  /** Of a check over records. */
  evaluator: Evaluator | null = null
  readonly #tallied: TalliedCheck
  #applicable = 0

  constructor(tallied: TalliedCheck) {
    this.#tallied = tallied
  }

  /** True if the check applies to at least one entity. */
  get isApplicable(): boolean {
    return this.#applicable > 0
  }

  /** Runs a part of the check; an error ends this check only. */
  attempt(part: () => void): void {
    if (this.error !== null) return
    try {
      part()
    } catch (error) {
      this.error = error ?? new TypeError('The check threw nothing')
    }
  }

  /** Keys of the records whose history the check needs. */
  readingHistory(slice: readonly MirrorRecord[]): readonly string[] {
    const keys: string[] = []
    const { evaluator } = this
    if (evaluator?.readsHistoryOf === undefined) return keys
    this.attempt(() => {
      for (const record of slice) if (evaluator.readsHistoryOf?.(record) === true) keys.push(record.key)
    })
    return keys
  }

  /** @param histories by key. */
  addSlice(slice: readonly MirrorRecord[], histories: ReadonlyMap<string, readonly ChangeRow[]>): void {
    const { evaluator } = this
    if (evaluator === null) return
    this.attempt(() => {
      for (const record of slice) {
        const outcome = evaluator.record(record, histories.get(record.key) ?? noHistory)
        if (outcome !== null || this.#tallied.check.entity.isRecord) this.add(record.key, outcome ?? outside, record)
      }
    })
  }

  addEnd(): void {
    this.attempt(() => {
      for (const [entityId, outcome] of this.evaluator?.end?.() ?? []) {
        // It would resolve although another record that it depends on is in quarantine.
        if (this.#tallied.check.entity.isRecord) throw new TypeError(`${entityId} from \`end\` must be no record`)
        this.add(entityId, outcome)
      }
    })
  }

  addPassing(count: number): void {
    this.population += count
    this.#applicable += count
  }

  add(entityId: string, outcome: Outcome, record?: MirrorRecord): void {
    const { open } = this.#tallied
    // Nearly all outcomes, in large populations.
    if (outcome === ok && open.size === 0) {
      this.addPassing(1)
      return
    }
    if (outcome.until !== undefined && outcome.until < this.until) this.until = outcome.until
    if (outcome.kind === 'fails') {
      this.population++
      this.#applicable++
      this.#addFailure(entityId, outcome)
      return
    }
    if (outcome.kind === 'not_applicable') this.population++
    else if (outcome.outside !== true) {
      this.population++
      this.#applicable++
    }
    if (outcome.kind === 'not_evaluated') {
      if (this.notEvaluated++ === 0) this.notEvaluatedFor = outcome.reason ?? 'ambiguous'
      if (this.unevaluated.length < maxUnevaluatedIds) this.unevaluated.push(entityId)
    }
    if (open.size === 0 || !open.has(entityId)) return
    this.passing.set(entityId, { outcome, identity: record === undefined ? null : identityOf(record).identity })
  }

  #addFailure(entityId: string, { severity: stated, message, evidence: facts }: Failure): void {
    const { open, rule, isFrozen, severity: configured } = this.#tallied
    const known = open.get(entityId)
    if (isFrozen && known === undefined) return
    const severity = isFrozen && known !== undefined ? known.severity : (configured ?? stated)
    this.failing++
    this.severities[severity] = (this.severities[severity] ?? 0) + 1
    if (known !== undefined) this.failingOpen.add(entityId)
    if (isFrozen) return
    const evidence = JSON.stringify({ ...facts, rule })
    const digest = findingDigest(severity, message, evidence)
    if (known?.digest !== digest) this.failures.push({ entityId, severity, message, evidence, digest })
  }
}

const outside: Outcome = { kind: 'ok', outside: true }

const noHistory: readonly ChangeRow[] = []

/** Facts about the reading, which change although the other facts are equal. */
const readingFields = /"(?:requestId|readAt)":(?:null|"(?:[^"\\]|\\.)*")/g

/** Equal for findings whose texts, severity and facts are equal, whenever they were read. @param evidence JSON. */
export function findingDigest(severity: string, message: string, evidence: string): string {
  return hash('sha256', `${severity} ${message} ${evidence.replaceAll(readingFields, '')}`).slice(0, 32)
}
