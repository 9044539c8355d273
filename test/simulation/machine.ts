import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checks } from '../../src/checks/index.ts'
import type { TenantSettings, Waiver } from '../../src/config/settings.ts'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import { eraseOutdated } from '../../src/daemon/retention.ts'
import type { EvaluatedTenant } from '../../src/evaluate/data-quality.ts'
import { readPosture } from '../../src/evaluate/read-posture.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import type { Log } from '../../src/model/log.ts'
import type { TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName, SyncMode } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { serverTimesReached } from '../../src/model/server-clock.ts'
import { dayMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { sqliteDialect } from '../../src/store/db/db.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { type Mirror, sharedChain } from '../../src/store/port.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { openTenantEngine, type TenantEngine } from '../../src/sync/tenant-engine.ts'
import { wrongCounts } from '../support/wrong-counts.ts'
import type { WallClock } from './clocks.ts'
import { bugLog, SideReader, slowStore, withAiling } from './machine-parts.ts'
import { createModelClient } from './model-client.ts'
import type { Network } from './network.ts'
import type { Prng } from './prng.ts'
import type { Scope, VirtualTime } from './virtual-time.ts'

const jitterMs = 5 * secondMs
/** Far more often than the daemon does it, so that short lives meet it. */
const purgeEveryMs = 10 * minuteMs
const retentionMs = 400 * dayMs
const noMetrics = { count() {} } as unknown as Metrics
const stopping = () => new DOMException('The scheduler is stopping', 'AbortError')

export interface MachineParts {
  readonly time: VirtualTime
  readonly wall: WallClock
  readonly prng: Prng
  readonly network: Network
  readonly settings: TenantSettings
  readonly folder: string
  readonly evaluateMs: number
  /** True: no operation of the store takes time, so that the life does not depend on how many there are. */
  readonly instantStore?: boolean
  /** Lets the oracle look on while everything is evaluated. */
  readonly attend: (evaluator: () => Promise<unknown>) => Promise<void>
  /** Receives each run that ended. */
  readonly runEnded: (result: RunResult) => void
  /** Receives each fault that the product logs as its own. */
  readonly bug: (message: string) => void
  /** Receives each line of the log. */
  readonly logged: (line: string) => void
}

interface Process {
  readonly evaluator: Evaluator
  readonly scope: Scope
  readonly mirror: Mirror
  readonly store: Mirror
  readonly client: ReturnType<typeof createModelClient>
  readonly engine: TenantEngine
  readonly stop: AbortController
  readonly running: Map<string, Promise<void>>
  evaluation: Promise<unknown>
  purgedAt: number
}

interface Repeated {
  readonly intervalMs: number
  readonly jitterMs: number
  readonly key: string
  readonly job: () => void
}

/** The machine the daemon runs on: its processes one after the other, and the database file that outlives them. */
export class Machine {
  readonly #parts: MachineParts
  readonly #log: Log
  #process: Process | null = null
  #path: string
  #files = 0
  #fuse: { awaits: number; readonly onlyCursors: boolean } | null = null
  readonly #beside = new SideReader()
  bornAt = 0
  /** Waivers of the configuration. */
  waivers: readonly Waiver[] = []
  /** Id of a check that throws whenever it evaluates; null when all are well. */
  ailing: string | null = null

  constructor(parts: MachineParts, template: string) {
    this.#parts = parts
    this.#log = bugLog(parts.bug, parts.logged)
    this.#path = join(parts.folder, 'mirror-0.db')
    copyFileSync(template, this.#path)
  }

  get hasInstantStore(): boolean {
    return this.#parts.instantStore ?? false
  }

  get isUp(): boolean {
    return this.#process !== null
  }

  get #up(): Process {
    if (this.#process === null) throw new Error('The daemon is down')
    return this.#process
  }

  get mirror(): Mirror {
    return this.#up.mirror
  }

  get tenantId(): number {
    return this.#up.engine.tenantId
  }

  readonly query = (sql: string, ...values: unknown[]): Record<string, unknown>[] => this.#beside.query(sql, ...values)

  /** True when a text is anywhere in the database file or its log. */
  stores(text: string): boolean {
    return ['', '-wal'].some(
      (suffix) => existsSync(this.#path + suffix) && readFileSync(this.#path + suffix).includes(text),
    )
  }

  /** Starts the daemon: what is due runs at once, everything else by its interval, as `src/daemon` wires it. */
  async start(): Promise<void> {
    const { time, wall, prng, network, settings, runEnded } = this.#parts
    const scope: Scope = { dead: false, bornAt: time.now }
    this.bornAt = time.now
    const mirror = openMirror(this.#path, 'engine')
    this.#beside.open(this.#path)
    const { tenant } = await mirror.openTenant(settings.name, settings.baseUrl, wall.now)
    const pace = { slow: false }
    const store = slowStore(mirror, { time, scope, prng, pace, dies: (name, first) => this.#burn(scope, name, first) })
    const reached = serverTimesReached(await mirror.quality(tenant.id))
    const wire = { settings, scope, wall, network, prng, tenant, store }
    const client = createModelClient({ ...wire, serverTimesReached: reached })
    const ended = (result: RunResult) => {
      client.answerTimes.runEnded(result)
      runEnded(result)
    }
    const engine = await openTenantEngine({
      settings,
      reader: client.reader,
      store,
      clock: wall.for(scope),
      log: this.#log,
      observer: {
        runEnded: ended,
        cursorReset() {},
        contractEvent() {},
        secretsRotated() {},
        page() {},
        lookedUp() {},
      },
    })
    const stop = new AbortController()
    const evaluation = Promise.resolve()
    const evaluator = new Evaluator({
      stores: onlyStore(store),
      metrics: noMetrics,
      clock: wall.for(scope),
      log: this.#log,
    })
    const running = new Map()
    const parts = { scope, mirror, store, client, engine, evaluator }
    this.#process = { ...parts, stop, running, evaluation, purgedAt: time.now }
    await this.#schedule(this.#process)
    pace.slow = !this.hasInstantStore
  }

  /** As SIGKILL: the whole process stops, and the file stays as it is. */
  async crash(): Promise<void> {
    const { scope } = this.#up
    scope.dead = true
    const next = join(this.#parts.folder, `mirror-${++this.#files}.db`)
    for (const suffix of ['', '-wal']) {
      if (existsSync(this.#path + suffix)) copyFileSync(this.#path + suffix, next + suffix)
    }
    await this.#close()
    for (const suffix of ['', '-wal', '-shm', '-lock']) rmSync(this.#path + suffix, { force: true })
    this.#path = next
  }

  /**
   * Lets the process die at the so many-th await on its store from now, or only count those around a page that moves
   * the cursor, where rows and cursor could part.
   */
  lightFuse(awaits: number, onlyCursors: boolean): void {
    this.#fuse = { awaits, onlyCursors }
  }

  get isDying(): boolean {
    return this.#process?.scope.dead === true
  }

  #burn(scope: Scope, operation: string, first: unknown): boolean {
    const fuse = this.#fuse
    if (scope.dead || fuse === null) return scope.dead
    const counts =
      !fuse.onlyCursors || (operation === 'commitPage' && movesCursor(first)) || operation === 'completeFullSync'
    if (counts && fuse.awaits-- <= 0) scope.dead = true
    return scope.dead
  }

  /** As SIGTERM: the runs in flight are aborted and drained, then the database is closed. */
  async stop(): Promise<void> {
    const { scope, stop } = this.#up
    stop.abort(stopping())
    scope.dead = true
    await this.#close()
  }

  /** Aborts what runs; to be called a moment before `stop`. */
  abort(): void {
    this.#up.stop.abort(stopping())
  }

  async #close(): Promise<void> {
    this.#fuse = null
    const wrong = wrongCounts(sqliteDialect, (sql) => this.query(sql))
    if (wrong.length > 0) throw new Error(`Counts do not agree with what they count: ${JSON.stringify(wrong)}`)
    this.#beside.close()
    const process = this.#process
    this.#process = null
    await process?.mirror[Symbol.asyncDispose]()
  }

  async dispose(): Promise<void> {
    if (this.#process !== null) this.#process.scope.dead = true
    await this.#close()
  }

  /** Runs one resource to its end, as a command would. */
  async run(resource: ResourceName, mode: SyncMode): Promise<RunResult> {
    const { engine, stop } = this.#up
    return engine.run(resource, mode, stop.signal)
  }

  /** Evaluates everything; evaluations queue up. */
  evaluate(onlyInputs?: readonly ResourceName[]): Promise<void> {
    const process = this.#up
    const { attend } = this.#parts
    const evaluator = () =>
      process.evaluator
        .evaluate(this.#tenantOf(process), {
          checks: withAiling(checks, this.ailing),
          waivers: this.waivers,
          serverTime: process.client.answerTimes.now(),
          ...(onlyInputs && { onlyInputs }),
        })
        .then((validUntil) => this.#evaluateAfter(process, validUntil))
    const mine = process.evaluation.then(() => attend(evaluator))
    process.evaluation = mine.catch((error: unknown) => this.#parts.bug(`Evaluation failed: ${String(error)}`))
    return mine
  }

  /** As `Session`: a threshold that passes before the next tick is evaluated at once. */
  #evaluateAfter(process: Process, validUntil: number | null): void {
    const { wall, time, evaluateMs } = this.#parts
    const waitMs = (validUntil ?? Number.POSITIVE_INFINITY) + 1 - wall.now
    if (waitMs > evaluateMs) return
    time.at(time.now + waitMs, () => this.#launch(process, 'threshold', () => this.evaluate()), process.scope)
  }

  posture(): Promise<TenantPosture> {
    const { wall, evaluateMs } = this.#parts
    return readPosture({
      store: this.mirror,
      tenant: this.#tenantOf(this.#up),
      checks,
      waivers: this.waivers,
      now: wall.now,
      evaluateIntervalMs: evaluateMs,
    })
  }

  #tenantOf({ client, engine }: Process): EvaluatedTenant {
    const skewOf = (resource: ResourceName) => client.answerTimes.skewMs(resource)
    return { id: engine.tenantId, settings: this.#parts.settings, skewOf }
  }

  async #schedule(process: Process): Promise<void> {
    const { settings, evaluateMs, wall, time } = this.#parts
    for (const resource of process.engine.resources) {
      const { incremental, full } = settings.resources[resource]
      for (const [mode, schedule] of [['incremental', incremental] as const, ['full', full] as const]) {
        if (schedule === null) continue
        const job = () => this.#launch(process, `${resource} ${mode}`, () => this.#runToEnd(process, resource, mode))
        const key = `jitter ${resource} ${mode}`
        this.#repeat(process, { intervalMs: schedule.intervalMs, jitterMs, key, job })
      }
    }
    const evaluate = () =>
      this.#launch(process, 'evaluate', async () => {
        await this.evaluate()
        if (time.now - process.purgedAt < purgeEveryMs) return
        process.purgedAt = time.now
        const { store, engine, client } = process
        await eraseOutdated({
          tenants: [{ store, tenantId: engine.tenantId, serverTime: client.answerTimes.now() }],
          others: [{ store, tenantId: sharedChain }],
          retentionMs,
          now: wall.now,
        })
      })
    this.#repeat(process, { intervalMs: evaluateMs, jitterMs: 0, key: 'jitter evaluate', job: evaluate })
    evaluate()
    for (const { resource, mode } of await process.engine.due('run')) {
      this.#launch(process, `${resource} ${mode}`, () => this.#runToEnd(process, resource, mode))
    }
  }

  #repeat({ scope }: Process, { intervalMs, jitterMs, key, job }: Repeated): void {
    const { time, prng } = this.#parts
    const next = () => {
      const tick = (Math.floor(time.now / intervalMs) + 1) * intervalMs
      time.at(
        tick,
        () => {
          const splayMs = jitterMs === 0 ? 0 : prng.stream(`${key} ${tick}`).between(0, jitterMs)
          time.at(time.now + splayMs, job, scope)
          next()
        },
        scope,
      )
    }
    next()
  }

  /** A job never overlaps itself: a tick that finds it running is skipped. */
  #launch({ running }: Process, name: string, work: () => Promise<void>): void {
    if (running.has(name)) return
    const mine = work()
      .catch((error: unknown) => {
        if (!(error instanceof DOMException)) this.#parts.bug(`${name}: ${String(error)}`)
      })
      .finally(() => running.delete(name))
    running.set(name, mine)
  }

  /** A run that the tenant's rate limit ended continues when the wait is over. */
  async #runToEnd(process: Process, resource: ResourceName, mode: SyncMode): Promise<void> {
    const clock = this.#parts.wall.for(process.scope)
    const retryAt = await this.#runAndEvaluate(process, resource, mode)
    if (retryAt === null) return
    await clock.sleep(process.client.waitMs(), process.stop.signal)
    await this.#runAndEvaluate(process, resource, mode)
  }

  async #runAndEvaluate({ engine, stop }: Process, resource: ResourceName, mode: SyncMode): Promise<number | null> {
    const result = await engine.run(resource, mode, stop.signal)
    const isEvaluated = result.outcome !== 'skipped' && result.reason !== 'aborted'
    // The daemon evaluates after each run; here after some of them, which leaves check results old enough to be wrong.
    const { prng, time } = this.#parts
    const coin = prng.stream(`evaluate ${resource} ${mode} ${Math.floor(time.now / minuteMs)}`)
    if (isEvaluated && coin.chance(0.2)) await this.evaluate([resource])
    return result.retryAt
  }
}

function movesCursor(page: unknown): boolean {
  return typeof page === 'object' && page !== null && 'cursor' in page
}
