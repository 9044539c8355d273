import type { SimulationReport } from './simulate.ts'
import { violationClasses } from './violations.ts'

/** Sums over many lives. */
export class Tally {
  readonly #classes = new Map<string, number>(violationClasses.map((kind) => [kind, 0]))
  readonly #faults = new Map<string, number>()
  #lives = 0
  #changes = 0
  #requests = 0
  #runs = 0
  readonly evaluated = { passes: 0, checks: 0, unknown: 0 }

  add({ violations, faults, changes, requests, runs, evaluated }: SimulationReport): void {
    this.#lives++
    this.#changes += changes
    this.#requests += requests
    this.#runs += runs
    this.evaluated.passes += evaluated.passes
    this.evaluated.checks += evaluated.checks
    this.evaluated.unknown += evaluated.unknown
    for (const { kind } of violations) this.#classes.set(kind, (this.#classes.get(kind) ?? 0) + 1)
    for (const [name, count] of faults) this.#faults.set(name, (this.#faults.get(name) ?? 0) + count)
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
    const faults = [...this.#faults].sort(([a], [b]) => (a < b ? -1 : 1))
    return [
      'Violations by class (0 expected)',
      ...[...this.#classes].map(([kind, count]) => line(kind, count)),
      'Lives',
      line('seeds', this.#lives),
      line('steps', this.#lives * steps),
      line('changes of the tenant', this.#changes),
      line('requests', this.#requests),
      line('runs', this.#runs),
      line('checks seen to pass', this.evaluated.passes),
      ...(this.evaluated.checks === 0 ? [] : [line('unknown after warm-up', share)]),
      line('seconds', seconds),
      ...(faults.length === 0 ? [] : ['Faults', ...faults.map(([name, count]) => line(name, count))]),
    ].join('\n')
  }
}
