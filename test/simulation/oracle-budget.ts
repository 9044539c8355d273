import { dayMs } from '../../src/model/durations.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import { quarantinedKeys, tables } from './oracle-mirror.ts'
import type { Feed } from './readings.ts'

/** `removals` of the default configuration. */
const maxCount = 5
const maxShare = 0.1

const feeds: readonly Feed[] = ['users', 'documents', 'api-clients']

interface Look {
  readonly at: number
  /** Live records before the removals that this look is the first to see. */
  readonly live: number
}

/**
 * The shrink guard as an invariant over the mirror's rows: what was removed within a day and not seen again is at most
 * five or a tenth, and of a list of two or more at most half, unless an operator accepted it
 * (docs/internals/sync.md#6-shrink-guard).
 */
export class RemovalBudget {
  readonly #looks = new Map<Feed, Look[]>()
  /** When a tombstone was first seen, in the world's time: removal times are the local clock's, which jumps. */
  readonly #removed = new Map<string, number>()
  readonly #reported = new Set<string>()

  check(oracle: Oracle, { machine, world }: OracleParts): void {
    const since = oracle.now - dayMs
    for (const feed of feeds) {
      const [, table, key] = tables.find(([name]) => name === feed) ?? []
      const rows = machine.query(`select ${key} as key, removed_at as at from ${table}`)
      const gone = rows.filter(({ at }) => at !== null).map((row) => `${feed} ${row['key']}`)
      for (const id of this.#removed.keys())
        if (id.startsWith(`${feed} `) && !gone.includes(id)) this.#removed.delete(id)
      const newlyGone = gone.filter((id) => !this.#removed.has(id))
      for (const id of newlyGone) this.#removed.set(id, oracle.now)
      if (!oracle.fullSyncs.readInFull(feed)) continue
      // A quarantined record without a live version counts like a live one.
      const known = new Set(rows.flatMap((row) => (row['at'] === null ? [String(row['key'])] : [])))
      const quarantined = quarantinedKeys(machine, feed).filter((id) => !known.has(id)).length
      const looks = [
        ...(this.#looks.get(feed) ?? []),
        { at: oracle.now, live: known.size + newlyGone.length + quarantined },
      ]
      this.#looks.set(feed, looks)
      const recent = gone.filter((id) => (this.#removed.get(id) ?? 0) >= since).length
      // A list that was small a day ago is measured by all that it held since.
      const held = known.size + quarantined + recent
      const base = Math.max(held, ...looks.filter(({ at }) => at >= since).map(({ live }) => live))
      // A client that made up for a removed one may be gone by now: it is mirrored until its own removal is decided.
      const created = world.clients.all().filter(({ createdAt }) => createdAt >= since)
      const replacing = new Set(created.map(({ clientId }) => clientId.toLowerCase()))
      const rotated = feed === 'api-clients' ? [...known].filter((id) => replacing.has(id)).length : 0
      const count = recent - rotated
      const tooMany = (count > maxCount && count > base * maxShare) || (base > 1 && count > base / 2)
      if (!tooMany || oracle.accepts || this.#reported.has(feed)) continue
      this.#reported.add(feed)
      oracle.report('wrong_tombstone', `${count} of ${base} ${feed} were removed within a day and nobody accepted it`)
    }
  }
}
