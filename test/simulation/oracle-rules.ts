import { type Check, inputsOf } from '../../src/evaluate/check.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { dayMs, isoMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { canaries, namedPerson } from './falsify.ts'
import { noticedSkewMs } from './ledger.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import type { UserTruth } from './world.ts'

const evaluationTakesMs = 30 * secondMs

/**
 * A check passes only on inputs that are fresh by this machine's clock (what it was set back, the data look younger) and
 * whole: "`unknown` if an input is partial (quarantine, shrink hold, suspect empty, …, `missing` records …)" or on hold.
 */
export function checkInputs(
  oracle: Oracle,
  { wall }: OracleParts,
  { check }: CheckView,
  { resources, holds }: TenantPosture,
  inputs: readonly ResourceName[],
): void {
  for (const { resource, freshnessLimitMs, quarantined, missing } of resources) {
    if (!inputs.includes(resource)) continue
    const age = wall.leastAge(oracle.fullSyncs.latest(resource))
    if (age > freshnessLimitMs + evaluationTakesMs)
      oracle.report('false_green', `${check} passes on ${resource} that are ${age / minuteMs} min old`)
    const held = holds.filter((hold) => hold.resource === resource || hold.resource === 'all').length
    for (const [flaw, count] of Object.entries({ quarantined, missing, held })) {
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
  { fullSyncs }: Oracle,
  { ledger, world, wall }: OracleParts,
  check: Check,
  id: string,
  evaluatedAt: number | null,
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

interface Noted {
  /** Stated time minus the world's, in milliseconds; null when it could not be read. */
  readonly wrongMs: number | null
  /** World time at which the run ended. */
  readonly at: number
}

/** The tenant's time of each resource that the daemon must know from successful runs (docs/internals/sync.md#10-time-of-an-answer). */
export class ClockTracker {
  readonly #noted = new Map<ResourceName, Noted>()
  readonly #parts: OracleParts

  constructor(parts: OracleParts) {
    this.#parts = parts
  }

  runEnded({ resource, outcome, pages, durationMs }: RunResult, now: number): void {
    if (pages === 0) return
    const time = this.#parts.ledger.times.of(resource)
    // Where the time changed its kind under way, either may be the one that was kept.
    const isClear = outcome === 'success' && time !== undefined && time.since <= now - durationMs
    if (isClear) this.#noted.set(resource, { wrongMs: time.wrongMs, at: now })
    else this.#noted.delete(resource)
  }

  /**
   * Why the time of an input is not reliable, by the answers that this process received; null when it is, or when no
   * answer was clear.
   */
  flawOf(check: Check): { readonly flaw: 'unreadable' | 'ahead' | 'behind'; readonly what: string } | null {
    const { wall, machine, ledger } = this.#parts
    for (const input of inputsOf(check)) {
      const noted = this.#noted.get(input)
      // A process can die in the instant in which its run ends.
      if (noted === undefined || noted.at <= machine.bornAt) continue
      // Later answers to a proof that differ may count, too.
      if ((ledger.times.of(input)?.since ?? 0) > noted.at) continue
      if (noted.wrongMs === null) return { flaw: 'unreadable', what: `the server time of ${input} cannot be read` }
      const skewMs = noted.wrongMs - wall.offset
      if (Math.abs(skewMs) <= noticedSkewMs) continue
      const what = `the server time of ${input} differs by ${Math.round(skewMs / 1000)} s`
      return { flaw: skewMs < 0 ? 'behind' : 'ahead', what }
    }
    return null
  }
}

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
      if (user?.['email'] !== reuse.email || user['enrolled'] !== 0) {
        reuse.seenAt = Number.POSITIVE_INFINITY
        continue
      }
      reuse.seenAt = Math.min(reuse.seenAt, oracle.now)
      // Where the policy is off or an input cannot be relied on, a finding of the person before stays as it was.
      const [state] = machine.query(
        `select status, evaluated_at as at from check_states where "check" = 'user-mfa-enrolled'`,
      )
      if (state?.['status'] !== 'fail' || wall.worldTimeOf(Number(state['at'])) < reuse.seenAt) continue
      this.#reused.delete(userId)
      const covering = machine.query(
        `select x.at from findings f join events x on x.subject = f.fingerprint and x.kind <> 'finding.resolved'
           join events a on a.kind = 'waiver.agreed' and a.data ->> 'entity' = f.entity_id
         where f.resolved_at is null and f."check" = 'user-mfa-enrolled' and f.entity_id = ?
           and x.kind like 'finding.%' and x.at <= max(a.at, a.data ->> 'expiresAt')
           and not exists (select 1 from events n where n.subject = x.subject and n.id > x.id and n.id < a.id)
           and not exists (select 1 from events l where l.kind = 'waiver.lapsed' and l.subject = x.subject and l.id > a.id)`,
        String(userId),
      )
      if (covering.every((row) => wall.worldTimeOf(Number(row['at'])) >= reuse.at)) continue
      oracle.report('waiver_misused', `A waiver agreed for user ${userId} covers the person who has the id now`)
    }
  }
}
