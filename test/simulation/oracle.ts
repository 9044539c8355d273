import { checks } from '../../src/checks/index.ts'
import type { TenantSettings } from '../../src/config/settings.ts'
import { inputsOf } from '../../src/evaluate/check.ts'
import { minuteMs, secondMs } from '../../src/model/durations.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/sync/run-result.ts'
import type { WallClock } from './clocks.ts'
import type { CursorBook } from './cursors.ts'
import { type Doubts, doubtAbout, doubtsNow } from './doubts.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import { checkCursors, checkForeign, checkRemovals, MirrorMemory, type ResolvedFinding } from './oracle-mirror.ts'
import { checkRecords, type TrueForms } from './oracle-records.ts'
import type { Readings } from './readings.ts'
import { cannotPass, mustFail, type Sight } from './truth.ts'
import { keptRoles, wereOnce } from './truth-drift.ts'
import type { Violation, ViolationClass } from './violations.ts'
import { WalkLog } from './walk-log.ts'
import type { World } from './world.ts'

export interface OracleParts {
  readonly world: World
  readonly wall: WallClock
  readonly ledger: Ledger
  readonly cursors: CursorBook
  readonly readings: Readings
  readonly machine: Machine
  readonly settings: TenantSettings
}

export interface Judged {
  passes: number
  checks: number
  unknown: number
}

const evaluationTakesMs = 30 * secondMs
const greatestSkewMs = 300 * secondMs
/** Steps by which a renewed skew may be less than the greatest before it is stored (src/sync: skewStepMs). */
const skewStepMs = 5 * secondMs

/** Knows the truth at every instant and holds the daemon's word against it, step by step. */
export class Oracle {
  readonly violations: Violation[] = []
  readonly walks = new WalkLog()
  readonly judged: Judged = { passes: 0, checks: 0, unknown: 0 }
  /** Which checks were unknown, and why, where that is counted. */
  readonly unknowns: string[] = []
  /** True once an operator accepted what was held. */
  accepts = false
  /** Server clock minus the world's time, and since when. */
  serverSkewMs = 0
  serverSkewSince = Number.NEGATIVE_INFINITY
  readonly #parts: OracleParts
  readonly #memory = new MirrorMemory()
  readonly #trueForms: TrueForms = new Set()
  /** When a resource was last refused, where no answer followed. */
  readonly #denied = new Map<ResourceName, number>()
  /** Findings that ended since the last look. */
  readonly #ended: ResolvedFinding[] = []
  readonly #firstSettings: Readonly<Record<string, unknown>>
  readonly #statusSeen = new Map<string, { readonly since: number; readonly by: number }>()
  #step = 0
  /** World time since which the daemon knows how its clock stands to the tenant's. */
  #skewKnownAt = Number.NEGATIVE_INFINITY

  constructor(parts: OracleParts) {
    this.#parts = parts
    this.#firstSettings = { ...parts.world.settings.current }
  }

  get now(): number {
    return this.#parts.world.time.now
  }

  report(kind: ViolationClass, what: string): void {
    this.violations.push({ kind, step: this.#step, what })
  }

  /** Told of the end of each run. */
  runEnded({ resource, outcome, reason, pages, durationMs }: RunResult): void {
    // Some answer of it showed how the clocks stood, be it the first.
    if (pages > 0) this.#skewKnownAt = Math.max(this.#skewKnownAt, this.now - durationMs)
    // A walk that had come to its end needs no further page to succeed.
    if (pages > 0 || outcome === 'success') this.#denied.delete(resource)
    if (reason === 'unauthorized' || reason === 'missing_permission') this.#denied.set(resource, this.now)
  }

  /** "An outage neither resolves a finding nor turns a check green": looks on while everything is judged. */
  async attend(judge: () => Promise<unknown>): Promise<void> {
    const { machine } = this.#parts
    // Whatever a process wrote that died in the middle of judging.
    this.#ended.push(...this.#memory.newResolutions(machine))
    const before = this.#doubts()
    await judge()
    const ended = this.#memory.newResolutions(machine)
    if (ended.length === 0) return
    this.#ended.push(...ended)
    const after = this.#doubts()
    for (const finding of ended) {
      const check = checks.find(({ id }) => id === finding.check)
      const doubt = check === undefined ? null : doubtAbout(before, check, finding)
      // What was in doubt before and after was so when it was judged, whatever runs went on beside.
      if (check === undefined || doubt === null || doubtAbout(after, check, finding) === null) continue
      this.report(
        'false_resolution',
        `${check.id} of ${finding.entityId} ended as ${finding.resolution} although ${doubt}`,
      )
    }
  }

  #doubts(): Doubts {
    const denied = (resource: ResourceName) => this.#isDenied(resource)
    return doubtsNow({ ...this.#parts, denied, skewed: this.#skewMs() !== null })
  }

  /** True when the tenant refused a resource as it was last asked for. */
  #isDenied(resource: ResourceName): boolean {
    const since = this.#denied.get(resource)
    // A process that was killed may have stored a success that nobody was told of.
    return since !== undefined && since >= this.#parts.machine.bornAt
  }

  /** Looks at everything once; to be called between events. */
  async observe(step: number, countUnknown: boolean): Promise<TenantPosture> {
    this.#step = step
    const { machine, wall } = this.#parts
    const posture = await machine.posture()
    this.walks.note(posture, wall)
    this.#noteStatuses()
    this.#checkSilence()
    checkCursors(this, this.#parts, this.#memory)
    checkRemovals(this, this.#parts, this.#memory)
    checkForeign(this, this.#parts, this.#memory)
    await checkRecords(this, this.#parts, this.#trueForms)
    this.#checkWalks(posture)
    this.#checkKeptRoles()
    this.#checkResolutions()
    for (const check of posture.checks) this.#checkStatus(check, posture, countUnknown)
    return posture
  }

  /** What may be in sight of a verdict that was reached at a stated wall time. */
  sight(judgedAtWall: number | null): Sight {
    const { world, wall, readings } = this.#parts
    const judgedAt = judgedAtWall === null ? [this.now] : [judgedAtWall, wall.worldTimeOf(judgedAtWall)]
    const isExact = (resource: ResourceName) => resource === 'users' || readings.cursorKind === 'keyset'
    return {
      world,
      to: this.now,
      judgedAt,
      // With offset cursors a row that a removal moved is passed over by the walk: of documents and clients the mirror
      // then keeps its last version until a later walk (contract: removal after two walks), so one more walk is in sight.
      from: (resource) => (isExact(resource) ? this.walks.lastSeen(resource) : this.walks.back(resource, 2)),
      presenceFrom: (resource) => this.walks.back(resource, isExact(resource) ? 1 : 2),
      roleIdFrom: (userId) => {
        const [row] = this.#parts.machine.query('select detail_read_at as at from users where user_id = ?', userId)
        return typeof row?.['at'] === 'number' ? wall.worldTimeOf(row['at']) - minuteMs : Number.POSITIVE_INFINITY
      },
      statusSeenBy: ({ fileId, statusSince }) => {
        const seen = this.#statusSeen.get(fileId)
        if (!isExact('documents') || seen?.since !== statusSince) return null
        return seen.by + wall.setBackSince(seen.by)
      },
      firstSettings: this.#firstSettings,
      firstRoles: keptRoles((sql) => this.#parts.machine.query(sql)),
    }
  }

  #noteStatuses(): void {
    const { world, ledger } = this.#parts
    for (const { fileId, statusSince } of world.documents.live()) {
      if (this.#statusSeen.get(fileId)?.since === statusSince) continue
      const wasShown = ledger.shownAt('documents', fileId) >= statusSince
      if (!wasShown || this.walks.lastSeen('documents') < statusSince) continue
      this.#statusSeen.set(fileId, { since: statusSince, by: this.now })
    }
  }

  /** What drift is measured from must have been true, all of it at once. */
  #checkKeptRoles(): void {
    const { machine, world } = this.#parts
    const kept = keptRoles((sql) => machine.query(sql))
    if (kept !== null && !wereOnce(world, kept)) {
      this.report('false_green', 'role-permissions-unchanged measures from roles that never were so')
    }
  }

  /** "nothing is sent to that tenant before it passes" */
  #checkSilence(): void {
    for (const what of this.#parts.ledger.tooEarly.splice(0)) this.report('retry_after_undercut', what)
  }

  #checkStatus(view: CheckView, posture: TenantPosture, countUnknown: boolean): void {
    if (countUnknown) {
      this.judged.checks++
      // What the tenant's own facts leave open is no lack of knowledge (contract: an entity that could not be judged).
      if (view.status === 'unknown' && view.reason !== 'ambiguous') {
        this.judged.unknown++
        this.unknowns.push(`step ${this.#step}: ${view.check} ${view.reason}`)
      }
    }
    if (view.status !== 'pass') return
    this.judged.passes++
    const check = checks.find(({ id }) => id === view.check)
    if (check === undefined) return
    this.#checkAges(view, posture, inputsOf(check))
    this.#checkWhole(view, posture, inputsOf(check))
    for (const resource of inputsOf(check).filter((one) => this.#isDenied(one))) {
      this.report('false_green', `${view.check} passes although ${resource} are refused`)
    }
    if (check.timeBased) this.#checkSkew(view)
    const failing = mustFail(view.check, this.sight(view.evaluatedAt))
    if (failing.length > 0) this.report('false_green', `${view.check} passes although ${failing.join(', ')} cannot`)
  }

  /** "older than its freshness limit", by this machine's clock: what it was set back, the data look younger. */
  #checkAges({ check }: CheckView, { resources }: TenantPosture, inputs: readonly ResourceName[]): void {
    const { wall } = this.#parts
    for (const { resource, freshnessLimitMs } of resources.filter((one) => inputs.includes(one.resource))) {
      const since = this.walks.latest(resource)
      const age = wall.leastAge(since)
      if (age > freshnessLimitMs + evaluationTakesMs) {
        this.report('false_green', `${check} passes on ${resource} that are ${age / minuteMs} min old`)
      }
    }
  }

  /** "`unknown` if an input is partial (quarantine, shrink hold, suspect empty, …, `missing` records …)" or on hold. */
  #checkWhole({ check }: CheckView, { resources, holds }: TenantPosture, inputs: readonly ResourceName[]): void {
    for (const { resource, quarantined, missing } of resources.filter((one) => inputs.includes(one.resource))) {
      const held = holds.filter((hold) => hold.resource === resource || hold.resource === 'all').length
      const flaws = { quarantined, missing, held }
      for (const [flaw, count] of Object.entries(flaws)) {
        if (count > 0) this.report('false_green', `${check} passes although ${count} of ${resource} are ${flaw}`)
      }
    }
  }

  /** "Skew beyond 300 s makes time-based checks that would pass `unknown`", once an answer showed it. */
  #checkSkew({ check }: CheckView): void {
    const skew = this.#skewMs()
    if (skew !== null) this.report('false_green', `${check} passes although the clocks differ by ${skew / 1000} s`)
  }

  /** By how much the clocks differ, once the daemon must have seen that it is too much; null otherwise. */
  #skewMs(): number | null {
    const { wall, machine } = this.#parts
    const skew = Math.abs(wall.offset - this.serverSkewMs)
    const seenSince = Math.max(wall.jumpedAt, machine.bornAt, this.serverSkewSince)
    return skew > greatestSkewMs + skewStepMs + 2 * secondMs && this.#skewKnownAt >= seenSince ? skew : null
  }

  /** What counts as complete is a walk of which every page was answered, as long ago as it is said to have begun. */
  #checkWalks({ resources }: TenantPosture): void {
    const { wall, ledger } = this.#parts
    for (const { resource, dataAsOf } of resources) {
      if (dataAsOf === null || wall.worldTimeOf(dataAsOf) <= ledger.wire.answered(resource)) continue
      this.report(
        'unfounded_walk',
        `${resource} count as complete, but no walk that began since was answered to its end`,
      )
    }
  }

  /** A finding that was resolved must have been untrue at some instant in sight. */
  #checkResolutions(): void {
    const { machine, world } = this.#parts
    const events = [...this.#ended.splice(0), ...this.#memory.newResolutions(machine)]
    for (const { check, entityId, resolution, at } of events) {
      const definition = checks.find(({ id }) => id === check)
      if (definition === undefined) continue
      const sight = this.sight(at)
      if (resolution === 'entity_removed') {
        const from = sight.presenceFrom(definition.judges)
        if (!world.wasAbsent(definition.judges, entityId, from, this.now)) {
          this.report('false_resolution', `${check} of ${entityId} ended as removed, but it was there all the time`)
        }
      } else if ((resolution === 'fixed' ? cannotPass : mustFail)(check, sight).includes(entityId)) {
        this.report('false_resolution', `${check} of ${entityId} ended as ${resolution}, but it does not pass`)
      }
    }
  }
}
