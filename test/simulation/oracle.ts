import { checks } from '../../src/checks/index.ts'
import type { TenantSettings } from '../../src/config/settings.ts'
import { type Check, inputsOf } from '../../src/evaluate/check.ts'
import type { CheckView, TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { minuteMs, secondMs } from '../../src/model/time.ts'
import type { WallClock } from './clocks.ts'
import type { CursorBook } from './cursors.ts'
import { type DataProblems, problemOf, problemsNow } from './data-problems.ts'
import { FullSyncLog } from './full-sync-log.ts'
import { type Ledger, noticedSkewMs } from './ledger.ts'
import type { Machine } from './machine.ts'
import {
  checkCursors,
  checkForeign,
  checkRecords,
  checkRemovals,
  MirrorMemory,
  quarantinedKeys,
  RemovalBudget,
  type ResolvedFinding,
  type TrueForms,
} from './oracle-mirror.ts'
import { ClockTracker, checkInputs, isUnshown, RetentionTracker, WaiverTracker } from './oracle-rules.ts'
import type { Readings } from './readings.ts'
import type { Violation, ViolationClass } from './tally.ts'
import { cannotPass, keptRoles, mustFail, type Sight, wereOnce } from './truth.ts'
import type { UserTruth, World } from './world.ts'

export interface OracleParts {
  readonly world: World
  readonly wall: WallClock
  readonly ledger: Ledger
  readonly cursors: CursorBook
  readonly readings: Readings
  readonly machine: Machine
  readonly settings: TenantSettings
}

export interface Evaluated {
  passes: number
  checks: number
  unknown: number
  /** By check and reason. */
  readonly unknownOf: Map<string, number>
}

/**
 * An answer from a cache that is no older may pass for fresh in a process that knows no newer time
 * (docs/internals/sync.md#10-time-of-an-answer).
 */
const cachedMs = 310 * secondMs

/** Knows the truth at every instant and holds the daemon's word against it, step by step. */
export class Oracle {
  readonly violations: Violation[] = []
  readonly fullSyncs = new FullSyncLog()
  readonly evaluated: Evaluated = { passes: 0, checks: 0, unknown: 0, unknownOf: new Map() }
  /** True once an operator accepted what was held. */
  accepts = false
  readonly #parts: OracleParts
  readonly #memory = new MirrorMemory()
  readonly #trueForms: TrueForms = new Set()
  /** When a resource was last refused, where no answer followed. */
  readonly #denied = new Map<ResourceName, number>()
  /** Findings that ended since the last look. */
  readonly #ended: ResolvedFinding[] = []
  readonly #firstSettings: Readonly<Record<string, unknown>>
  readonly #statusSeen = new Map<string, { readonly since: number; readonly by: number }>()
  readonly #clocks: ClockTracker
  readonly #budget = new RemovalBudget()
  readonly #keeping = new RetentionTracker()
  readonly #waived = new WaiverTracker()
  /** True once fields were shown that must not be stored. */
  seeksSecrets = false
  #step = 0
  /** The latest wall time at which the daemon wrote the end of a run. */
  #newestWall = Number.NEGATIVE_INFINITY
  /** The last jump after which a process knew that the clock was right again. */
  #confirmedJump = Number.NEGATIVE_INFINITY

  constructor(parts: OracleParts) {
    this.#parts = parts
    this.#clocks = new ClockTracker(parts)
    this.#firstSettings = { ...parts.world.settings.current }
  }

  get now(): number {
    return this.#parts.world.time.now
  }

  report(kind: ViolationClass, what: string): void {
    this.violations.push({ kind, step: this.#step, what })
  }

  /** Receives the end of each run. */
  runEnded(result: RunResult): void {
    const { resource, outcome, reason, pages } = result
    this.#clocks.runEnded(result, this.now)
    this.#newestWall = Math.max(this.#newestWall, this.#parts.wall.now)
    this.#noteConfirmedClock()
    // A full sync that had come to its end needs no further page to succeed.
    if (pages > 0 || outcome === 'success') this.#denied.delete(resource)
    if (reason === 'unauthorized' || reason === 'missing_permission') this.#denied.set(resource, this.now)
  }

  /** "An outage neither resolves a finding nor turns a check green": looks on while everything is evaluated. */
  async attend(evaluator: () => Promise<unknown>): Promise<void> {
    const { machine } = this.#parts
    // Whatever a process wrote that died in the middle of evaluation.
    this.#ended.push(...this.#memory.newResolutions(machine))
    const before = this.#problems()
    this.#noteConfirmedClock()
    await evaluator()
    const ended = this.#memory.newResolutions(machine)
    if (ended.length === 0) return
    this.#ended.push(...ended)
    const after = this.#problems()
    for (const finding of ended) {
      const check = checks.find(({ id }) => id === finding.check)
      const problem = check === undefined ? null : problemOf(before, check, finding)
      // A problem before and after also existed at the evaluation, whatever runs took place meanwhile.
      if (check === undefined || problem === null || problemOf(after, check, finding) === null) continue
      this.report(
        'false_resolution',
        `${check.id} of ${finding.entityId} ended as ${finding.resolution} although ${problem}`,
      )
    }
  }

  #problems(): DataProblems {
    const denied = (resource: ResourceName) => this.#isDenied(resource)
    return problemsNow({ ...this.#parts, denied, skewOf: (check) => this.#skewOf(check) })
  }

  /** True when the tenant refused a resource as it was last asked for. */
  #isDenied(resource: ResourceName): boolean {
    const since = this.#denied.get(resource)
    // A killed process may have stored a success that it did not report.
    return since !== undefined && since >= this.#parts.machine.bornAt
  }

  /** Looks at everything once; to be called between events. */
  async observe(step: number, countUnknown: boolean): Promise<TenantPosture> {
    this.#step = step
    const { machine, wall } = this.#parts
    const posture = await machine.posture()
    this.fullSyncs.note(posture, wall)
    this.#noteStatuses()
    this.#checkSilence()
    checkCursors(this, this.#parts, this.#memory)
    checkRemovals(this, this.#parts, this.#memory)
    checkForeign(this, this.#parts, this.#memory)
    this.#budget.check(this, this.#parts)
    this.#keeping.checkErasure(this, this.#parts)
    if (this.seeksSecrets) this.#keeping.checkSecrets(this, this.#parts)
    this.#waived.check(this, this.#parts)
    await checkRecords(this, this.#parts, this.#trueForms)
    this.#checkFullSyncs(posture)
    this.#checkKeptRoles()
    this.#checkResolutions()
    for (const check of posture.checks) this.#checkStatus(check, posture, countUnknown)
    return posture
  }

  /** The data that a check result of a stated wall time may have read. */
  sight(evaluatedAtWall: number | null): Sight {
    const { world, wall, readings, ledger } = this.#parts
    const cacheMs = ledger.replays.size > 0 ? cachedMs : 0
    const evaluatedAt = evaluatedAtWall === null ? [this.now] : [evaluatedAtWall, wall.worldTimeOf(evaluatedAtWall)]
    // With offset cursors a row that a removal moved is passed over by the full sync. Of documents that no reading by time
    // shows, the mirror keeps the last version until a later full sync (docs/internals/sync.md#5-removal).
    const isExact = (resource: ResourceName) =>
      resource !== 'documents' || readings.cursorKind === 'keyset' || readings.updatedAfterNulls
    return {
      world,
      to: this.now,
      evaluatedAt,
      from: (resource) =>
        (isExact(resource) ? this.fullSyncs.lastSeen(resource) : this.fullSyncs.back(resource, 2)) - cacheMs,
      presenceFrom: (resource) => this.fullSyncs.back(resource, isExact(resource) ? 1 : 2) - cacheMs,
      roleIdFrom: (userId) => {
        const [row] = this.#parts.machine.query('select detail_read_at as at from users where user_id = ?', userId)
        return typeof row?.['at'] === 'number'
          ? wall.worldTimeOf(row['at']) - minuteMs - ledger.lagMs
          : Number.POSITIVE_INFINITY
      },
      statusSeenBy: ({ fileId, statusSince }) => {
        const seen = this.#statusSeen.get(fileId)
        if (!isExact('documents') || seen?.since !== statusSince) return null
        return seen.by + wall.setBackSince(seen.by)
      },
      firstSettings: this.#firstSettings,
      firstRoles: keptRoles(this.#parts.machine.query),
    }
  }

  #noteStatuses(): void {
    const { world, ledger } = this.#parts
    for (const { fileId, statusSince } of world.documents.live()) {
      if (this.#statusSeen.get(fileId)?.since === statusSince) continue
      const wasShown = ledger.shownAt('documents', fileId) >= statusSince
      if (!wasShown || this.fullSyncs.lastSeen('documents') < statusSince) continue
      // The mirror sees a status with the first version that it takes; until then the check is `unknown`.
      if (quarantinedKeys(this.#parts.machine, 'documents').includes(fileId)) continue
      this.#statusSeen.set(fileId, { since: statusSince, by: this.now })
    }
  }

  /** The baseline of drift must have been true as a whole at one instant. */
  #checkKeptRoles(): void {
    const { machine, world } = this.#parts
    const kept = keptRoles(machine.query)
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
      this.evaluated.checks++
      // What the tenant's own facts leave open is no lack of knowledge (docs/internals/status.md#check-status).
      if (view.status === 'unknown' && view.reason !== 'ambiguous') {
        const { unknownOf } = this.evaluated
        const what = `${view.check} ${view.reason}`
        this.evaluated.unknown++
        unknownOf.set(what, (unknownOf.get(what) ?? 0) + 1)
      }
    }
    if (view.status !== 'pass') return
    this.evaluated.passes++
    const check = checks.find(({ id }) => id === view.check)
    if (check === undefined) return
    checkInputs(this, this.#parts, view, posture, inputsOf(check))
    for (const resource of inputsOf(check).filter((one) => this.#isDenied(one))) {
      this.report('false_green', `${view.check} passes although ${resource} are refused`)
    }
    this.#checkClocks(view, check)
    const failing = mustFail(view.check, this.sight(view.evaluatedAt)).filter(
      (id) => !isUnshown(this, this.#parts, check, id, view.evaluatedAt),
    )
    if (failing.length > 0) this.report('false_green', `${view.check} passes although ${failing.join(', ')} cannot`)
  }

  /** A line of the log, as the daemon writes it. */
  logged(line: string): void {
    this.#keeping.checkLine(this, line)
  }

  /** Somebody else was given an id that a waiver names. */
  idReused(user: UserTruth): void {
    this.#waived.reused(user, this.now)
  }

  /** "Beyond 300 s time-based checks … neither pass"; "where the server's time lies behind, every check"; unreadable. */
  #checkClocks({ check: id, evaluatedAt }: CheckView, check: Check): void {
    const { wall, ledger } = this.#parts
    const isEvaluatedSince = evaluatedAt !== null && wall.worldTimeOf(evaluatedAt) >= wall.jumpedAt
    const found = isEvaluatedSince ? this.#clocks.flawOf(check) : null
    if (found !== null && (check.timeBased || found.flaw === 'behind')) {
      this.report('false_green', `${id} passes although ${found.what}`)
    }
    const backMs = this.#newestWall - wall.now
    const isConfirmed = this.#confirmedJump === wall.jumpedAt || this.#clockIsConfirmed()
    if (backMs > 10 * secondMs && ledger.answeredAt < wall.jumpedAt && !isConfirmed && !this.#isReplayed()) {
      this.report(
        'false_green',
        `${id} passes although the clock was set back by ${backMs} ms and no answer came since`,
      )
    }
  }

  /** That a clock is right again is stored with the end of a run and when it is evaluated; the next process knows it, too. */
  #noteConfirmedClock(): void {
    if (!this.#clockIsConfirmed()) return
    this.#confirmedJump = this.#parts.wall.jumpedAt
    // A later jump counts from here.
    this.#newestWall = this.#parts.wall.now
  }

  /** An answer of this process and the monotonic time since confirm a clock that is right again. */
  #clockIsConfirmed(): boolean {
    const { wall, ledger, machine } = this.#parts
    return ledger.answeredAt >= machine.bornAt && (Math.abs(wall.offset) <= noticedSkewMs || this.#isReplayed())
  }

  /** Replays that are as old as the clock is slow look like right answers to a process that knows none of them. */
  #isReplayed(): boolean {
    const { wall, ledger } = this.#parts
    return ledger.replayedOffset !== null && Math.abs(ledger.replayedOffset - wall.offset) <= noticedSkewMs
  }

  /** Why the clocks bar a check from resolving anything; null when they do not. */
  #skewOf(check: Check): string | null {
    const found = this.#clocks.flawOf(check)
    return found === null || found.flaw === 'unreadable' ? null : found.what
  }

  /** A full sync is complete only if every page was answered since its stated beginning. */
  #checkFullSyncs({ resources }: TenantPosture): void {
    const { wall, ledger } = this.#parts
    for (const { resource, dataAsOf } of resources) {
      if (dataAsOf === null || wall.worldTimeOf(dataAsOf) <= ledger.wire.answered(resource)) continue
      // A process that knows no newer time may take a replay for an answer whose time lies behind: then nothing passes.
      if ((ledger.replays.get(resource) ?? 0) >= wall.worldTimeOf(dataAsOf)) continue
      this.report(
        'unfounded_full_sync',
        `${resource} count as complete, but no full sync that began since was answered to its end`,
      )
    }
  }

  /** A finding that was resolved must have been untrue at some instant in sight. */
  #checkResolutions(): void {
    const { machine, world, ledger } = this.#parts
    const events = [...this.#ended.splice(0), ...this.#memory.newResolutions(machine)]
    for (const { check, entityId, resolution, at, createdAt } of events) {
      const definition = checks.find(({ id }) => id === check)
      if (definition === undefined) continue
      const sight = this.sight(at)
      if (resolution === 'entity_removed') {
        const from = sight.presenceFrom(definition.evaluates)
        const id = `${definition.evaluates} ${entityId}`
        // A false creation date makes the id another entity's.
        const bled = ledger.everBled.has(id) || ledger.malformed.has(id)
        const reused = definition.evaluates === 'users' && this.#waived.isFormer(entityId, createdAt)
        if (!bled && !reused && !world.wasAbsent(definition.evaluates, entityId, from, this.now)) {
          this.report('false_resolution', `${check} of ${entityId} ended as removed, but it was there all the time`)
        }
      } else if (ledger.contradicted.has(`${definition.evaluates} ${entityId}`)) continue
      else if ((resolution === 'fixed' ? cannotPass : mustFail)(check, sight).includes(entityId)) {
        // A list that bled removed one of the documents with the name.
        if (check === 'document-name-unique' && isUnshown(this, this.#parts, definition, entityId, at)) continue
        this.report('false_resolution', `${check} of ${entityId} ended as ${resolution}, but it does not pass`)
      }
    }
  }
}
