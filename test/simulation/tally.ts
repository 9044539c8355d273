import type { SimulationReport } from './simulate.ts'

/** Sums over many lives. */
export class Tally {
  readonly #classes = new Map<string, number>(violationClasses.map((kind) => [kind, 0]))
  readonly #faults = new Map<string, number>()
  #lives = 0
  readonly evaluated = { passes: 0, checks: 0, unknown: 0 }
  readonly #unknown = new Map<string, number>()

  add({ violations, faults, evaluated }: SimulationReport): void {
    this.#lives++
    this.evaluated.passes += evaluated.passes
    this.evaluated.checks += evaluated.checks
    this.evaluated.unknown += evaluated.unknown
    for (const { kind } of violations) add(this.#classes, kind)
    for (const [name, count] of faults) add(this.#faults, name, count)
    for (const [what, count] of evaluated.unknownOf) add(this.#unknown, what, count)
  }

  get lives(): number {
    return this.#lives
  }

  get violations(): number {
    return [...this.#classes.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Share of check-steps that were unknown, where they were counted. */
  get unknownShare(): number {
    return this.evaluated.checks === 0 ? 0 : this.evaluated.unknown / this.evaluated.checks
  }

  /** The summary for people. */
  table(steps: number, seconds: string): string {
    const line = (name: string, value: number | string) => `  ${name.padEnd(26)}${String(value).padStart(12)}`
    const share = `${(100 * this.unknownShare).toFixed(3)} %`
    const section = (title: string, counts: ReadonlyMap<string, number>) => {
      const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      return sorted.length === 0 ? [] : [title, ...sorted.map(([name, count]) => line(name, count))]
    }
    return [
      'Violations by class (0 expected)',
      ...[...this.#classes].map(([kind, count]) => line(kind, count)),
      'Lives',
      line('seeds', this.#lives),
      line('steps', this.#lives * steps),
      line('checks seen to pass', this.evaluated.passes),
      ...(this.evaluated.checks === 0 ? [] : [line('unknown after warm-up', share)]),
      line('seconds', seconds),
      ...section('Unknown', this.#unknown),
      ...section('Faults', this.#faults),
    ].join('\n')
  }
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

/** Violations of the promises, by class (docs/internals/reliability.md#what-is-promised). */
export const violationClasses = [
  /** "Never a false green": pass although it cannot have been so within the age of the inputs. */
  'false_green',
  /** A record was removed although it was there all the time, or without the proof that docs/internals/sync.md#5-removal asks for. */
  'wrong_tombstone',
  /** A mirrored record is one that the tenant never had. */
  'torn_record',
  /** The mirror counts a full sync as complete that the tenant did not answer to its end. */
  'unfounded_full_sync',
  /** After the faults stopped, the mirror is not the tenant, row by row. */
  'lost_row',
  /** A change of a record is not in its history. */
  'lost_history',
  /** "Every page and the cursor that follows it are committed in one transaction." */
  'cursor_ahead',
  /** "An outage neither resolves a finding nor turns a check green." */
  'false_resolution',
  /** "Nothing is sent to that tenant before it passes." */
  'retry_after_undercut',
  /** "Nothing is written for" a tenant on hold; another tenant's record is in the mirror. */
  'foreign_data',
  /** Something is erased before its retention is over by the true time. */
  'erased_early',
  /** A value that looks like a secret is stored or logged, or a person is named in the log. */
  'secret_leaked',
  /** A waiver covers a finding of somebody it was not agreed for. */
  'waiver_misused',
  /** The hash chain of the history does not verify, although nobody changed a row. */
  'chain_differs',
  /** A status, finding or run that does not become right although faults stopped. */
  'not_recovered',
  /** A tenant without faults is on hold. */
  'needless_hold',
  /** The product logged a fault of its own, or a run ended as `internal` or `store`. */
  'own_fault',
] as const

export type ViolationClass = (typeof violationClasses)[number]

export interface Violation {
  readonly kind: ViolationClass
  /** The step of the life; steps after the last one are those of the recovery. */
  readonly step: number
  readonly what: string
}
