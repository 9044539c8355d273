import { isoMs } from '../../src/model/dates.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import type { UserTruth } from './world.ts'

interface Reuse {
  readonly email: string
  /** World time at which the id became somebody else's. */
  readonly at: number
  /** World time at which the mirror was first seen to have that person. */
  seenAt: number
}

/** A waiver is about a person, not about an id: one given to another person ends it (docs/waivers.md#waivers). */
export class WaiverTracker {
  readonly #reused = new Map<number, Reuse>()

  /** When the person was created who has a reused id now. */
  readonly #createdAt = new Map<string, number>()

  reused({ userId, email, createdAt }: UserTruth, at: number): void {
    this.#createdAt.set(String(userId), createdAt)
    this.#reused.set(userId, { email, at, seenAt: Number.POSITIVE_INFINITY })
  }

  /** True for somebody whose id was given to another: what was found of the former person ends. */
  isFormer(userId: string, createdAt: string | null): boolean {
    const present = this.#createdAt.get(userId)
    return present !== undefined && createdAt !== null && isoMs(createdAt) !== present
  }

  check(oracle: Oracle, { machine, wall }: OracleParts): void {
    for (const [userId, reuse] of this.#reused) {
      const [user] = machine.query(
        'select email, mfa_status as enrolled from users where user_id = ? and removed_at is null',
        userId,
      )
      // Of a person who is enrolled nothing is found, and what was found of the one before may stay while users are not read well.
      if (user?.['email'] !== reuse.email || user['enrolled'] !== 0) continue
      reuse.seenAt = Math.min(reuse.seenAt, oracle.now)
      // Where the policy is off or an input cannot be relied on, a finding of the person before stays as it was.
      const [state] = machine.query(
        `select status, evaluated_at as at from check_states where "check" = 'user-mfa-enrolled'`,
      )
      if (state?.['status'] !== 'fail' || wall.worldTimeOf(Number(state['at'])) < reuse.seenAt) continue
      this.#reused.delete(userId)
      const covering = machine.query(
        `select w.accepted_at as at from waived_findings w join findings f on f.fingerprint = w.fingerprint
         where f.resolved_at is null and f."check" = 'user-mfa-enrolled' and f.entity_id = ? and w.lapsed_at is null`,
        String(userId),
      )
      if (covering.every((row) => wall.worldTimeOf(Number(row['at'])) >= reuse.at)) continue
      oracle.report('waiver_misused', `A waiver agreed for user ${userId} covers the person who has the id now`)
    }
  }
}
