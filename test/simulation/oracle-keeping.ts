import { dayMs } from '../../src/model/durations.ts'
import { canaries, namedPerson } from './canaries.ts'
import type { Oracle, OracleParts } from './oracle.ts'

/** Tables whose rows only the retention takes away, which is longer than any life. */
const kept = ['events where data is not null', 'findings'] as const

/** Nothing is erased before its time, and nothing secret is kept at all. */
export class RetentionTracker {
  readonly #rows = new Map<string, number>()
  readonly #leaked = new Set<string>()

  /**
   * "Retention erases only by the earlier of the local clock and the tenant's server time" (docs/internals/sync.md#18-history).
   */
  checkErasure(oracle: Oracle, { machine, ledger, wall }: OracleParts): void {
    // Where both clocks show the same wrong year, nothing shows that it is wrong: rows dated or erased by it are wrong, too.
    const { mostAheadMs, mostBehindMs } = ledger.times
    const isLate = Math.max(Math.min(mostAheadMs, wall.offset), Math.min(mostBehindMs, -wall.leastOffset)) > dayMs
    for (const table of kept) {
      const [row] = machine.query(`select count(*) as n from ${table}`)
      const count = Number(row?.['n'])
      const before = this.#rows.get(table) ?? 0
      if (count < before && !isLate) oracle.report('erased_early', `${before - count} rows of ${table} are erased`)
      this.#rows.set(table, count)
    }
    // A removed user who was never valid has no names, and no event.
    const [row] = machine.query(
      `select count(*) as n from users u where removed_at is not null and email is null and exists (select 1 from events e
         where e.tenant_id = u.tenant_id and e.kind = 'record.removed' and e.subject = 'users/' || u.key)`,
    )
    const nameless = Number(row?.['n'])
    if (nameless > (this.#rows.get('nameless') ?? 0) && !isLate) {
      oracle.report('erased_early', `The names of ${nameless} removed users are erased`)
    }
    this.#rows.set('nameless', nameless)
  }

  /** "stored as its type and length only, in the mirror, quarantine, history, exports and logs alike" */
  checkSecrets(oracle: Oracle, { machine }: OracleParts): void {
    for (const canary of canaries) {
      if (this.#leaked.has(canary) || !machine.stores(canary)) continue
      this.#leaked.add(canary)
      oracle.report('secret_leaked', `${canary} is in the database`)
    }
  }

  /** A line of the log. */
  checkLine(oracle: Oracle, line: string): void {
    for (const text of [...canaries, namedPerson]) {
      if (!line.includes(text) || this.#leaked.has(`log ${text}`)) continue
      this.#leaked.add(`log ${text}`)
      oracle.report('secret_leaked', `${text} is in the log: ${line.slice(0, 200)}`)
    }
  }
}
