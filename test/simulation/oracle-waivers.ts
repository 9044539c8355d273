import type { Oracle, OracleParts } from './oracle.ts'

/** A waiver is about a person, not about an id (contract: an id given to another person ends it). */
export class WaiverWitness {
  /** User ids that somebody else was given, and when. */
  readonly #reused = new Map<string, number>()

  reused(userId: string, at: number): void {
    this.#reused.set(userId, at)
  }

  check(oracle: Oracle, { machine, wall }: OracleParts): void {
    for (const [userId, at] of this.#reused) {
      if (oracle.walks.lastSeen('users') < at) continue
      const covering = machine.query(
        `select w.waiver, w.accepted_at as at from waived_findings w join findings f on f.fingerprint = w.fingerprint
         where f.resolved_at is null and f.entity_type like 'user%' and f.entity_id = ? and w.lapsed_at is null`,
        userId,
      )
      if (covering.every((row) => wall.worldTimeOf(Number(row['at'])) >= at)) continue
      this.#reused.delete(userId)
      oracle.report('waiver_misused', `A waiver agreed for user ${userId} covers the person who has the id now`)
    }
  }
}
