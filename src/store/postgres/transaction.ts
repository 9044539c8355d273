import type { Clock, Random } from '../../model/clock.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { driverCodeOf, ofCommit, serverSilent } from '../db/postgres/store-error.ts'
import type { Ask, SlowSteps, Step, Take } from '../steps.ts'
import { begin, committing, insistOnUse, type Kind, limiting } from './beginning.ts'
import { isToShow } from './lanes.ts'
import type { PresentServer } from './present-server.ts'
import type { Answer, Session, Sessions } from './session.ts'
import type { AnyStatement } from './statement.ts'

export interface Timing {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly limits?: Limits
  /** Schemas of the tables; set explicitly, because settings of role or database may change meanwhile. */
  readonly searchPath?: string
  /** The server that connections must lead to; absent = any. */
  readonly server?: PresentServer
}

/** In milliseconds. */
export interface Limits {
  /** The server ends a longer statement. */
  readonly statementMs: number
  /** The server ends a transaction that waits longer for its next statement. */
  readonly idleMs: number
  /** The connection is closed if an answer is due and the server is silent for longer. */
  readonly silenceMs: number
}

const defaults: Limits = { statementMs: minuteMs, idleMs: 5 * secondMs, silenceMs: minuteMs + 15 * secondMs }

/** Shorter limits for reads that are shown: a failed scrape or page is soon requested again. */
const limitsToShow: Limits = { ...defaults, statementMs: 15 * secondMs, silenceMs: 20 * secondMs }

/** Tries of a transaction that conflicts with another one. */
const mostTries = 6
const firstPauseMs = 10

/** Interval of the checks whether answers arrived, in milliseconds. */
const lookMs = 3 * secondMs

/** Most statements sent before waiting for an answer. */
const mostUnanswered = 1000

/** A row that a writing transaction must find; otherwise another replica owns the tenant, and nothing is stored. */
export interface Fence {
  readonly statement: AnyStatement
  readonly params: readonly unknown[]
}

export interface Work<T> {
  readonly kind: Kind
  readonly body: () => Step<T> | SlowSteps<T>
  readonly fence: Fence | null
}

/**
 * Runs the body, again from its beginning after a conflict with another transaction.
 *
 * @throws errors of the body; SyncError `aborted` when the fence finds no row.
 */
export async function transaction<T>(sessions: Sessions, timing: Timing, work: Work<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(sessions, timing, work)
    } catch (error) {
      if (!isConflict(error) || tries >= mostTries) throw error
      await timing.clock.sleep(firstPauseMs * 2 ** (tries - 1) * (0.5 + timing.random()))
    }
  }
}

/** True for a serialization failure or a deadlock: nothing of the transaction was stored. */
function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(driverCodeOf(error))
}

async function attempt<T>(sessions: Sessions, timing: Timing, work: Work<T>): Promise<T> {
  const { running, guard, end } = watched(await sessions.take(), timing)
  try {
    return await guard(running.run(work))
  } finally {
    end()
  }
}

/** A transaction that fails if the server is silent for too long. */
export function watched(session: Session, timing: Timing) {
  const { clock, limits = isToShow() ? limitsToShow : defaults } = timing
  const running = new Transaction(session, { ...timing, limits })
  const stop = new AbortController()
  const silence = running.endInSilence(clock, stop.signal)
  // Nobody awaits it between two reads.
  silence.catch(() => {})
  return {
    running,
    guard: <T>(work: Promise<T>): Promise<T> => Promise.race([work, silence]),
    // Without a reason, each transaction would make a DOMException.
    end: () => stop.abort(null),
  }
}

interface Sent {
  readonly answer: Promise<Answer>
  readonly shape: Ask['shape']
}

class Transaction {
  readonly #session: Session
  readonly #timing: Timing & { readonly limits: Limits }
  readonly #unanswered = new Set<Promise<Answer>>()
  #answers = 0
  /** The first failure, after which PostgreSQL refuses all statements. */
  #failed = false
  #failure: unknown
  #released = false
  /** True once the COMMIT of its writes is sent. */
  #isCommitting = false
  #begun: Promise<Answer> | null = null
  /** True if the connection must not be used again. */
  #isUnfit = false

  constructor(session: Session, timing: Timing & { readonly limits: Limits }) {
    this.#session = session
    this.#timing = timing
  }

  async run<T>({ kind, body, fence }: Work<T>): Promise<T> {
    this.begin(kind)
    const owned = fence === null ? null : this.#send(this.#session.send(fence.statement, fence.params))
    try {
      const result = await this.#checked(kind, this.#drive(body()))
      if (owned !== null && (await this.#first(owned)).rows.length === 0) throw ownedByAnother()
      await this.#commit(kind)
      return result
    } catch (error) {
      await this.#rollBack()
      const failure = this.#failed ? this.#failure : error
      throw this.#isCommitting ? ofCommit(failure) : failure
    }
  }

  async read<T>(step: Step<T> | SlowSteps<T>): Promise<T> {
    try {
      return await this.#checked('read', this.#drive(step))
    } catch (error) {
      throw this.#failed ? this.#failure : error
    }
  }

  /** Returns the connection. */
  async endReads(): Promise<void> {
    if (this.#failed || this.#isUnfit) await this.#rollBack()
    else await this.#commit('read')
  }

  /** Rejects if the server is silent for too long, or does not work for this connection although an answer is due. */
  async endInSilence(clock: Pick<Clock, 'sleep'>, signal: AbortSignal): Promise<never> {
    const { silenceMs } = this.#timing.limits
    const everyMs = Math.min(silenceMs, lookMs)
    let isServed: boolean | null = null
    for (let [seen, silentMs] = [-1, 0]; silentMs < silenceMs && isServed !== false; seen = this.#answers) {
      try {
        await clock.sleep(everyMs, signal)
      } catch {
        return await new Promise<never>(() => {})
      }
      const answers = this.#answers
      const isSilent = this.#unanswered.size > 0 && answers === seen
      silentMs = isSilent ? silentMs + everyMs : 0
      if (!isSilent) isServed = null
      else if (isServed !== false) {
        // The result is used at the next check, because the server may not answer this query either.
        const note = (known: boolean | null) => {
          if (this.#answers === answers) isServed = known
        }
        this.#session.isServed?.().then(note, () => {})
      }
    }
    this.#session.distrust?.()
    this.#release(true)
    throw this.#isCommitting ? ofCommit(serverSilent()) : serverSilent()
  }

  begin(kind: Kind): void {
    const { limits, searchPath = null } = this.#timing
    void this.#send(this.#session.send(begin[kind], []))
    // For this transaction only: with a pooler, the next one may use another connection.
    const params = [`${limits.statementMs}`, `${limits.idleMs}`, searchPath]
    this.#begun = this.#send(this.#session.send(limiting[kind], params))
  }

  /** The result of the work is discarded if the connection must not be used. */
  async #checked<T>(kind: Kind, work: Promise<T>): Promise<T> {
    const [done] = await Promise.allSettled([work])
    const begun = this.#failed ? null : await this.#begun
    try {
      if (begun !== null) insistOnUse(kind, begun.rows, this.#timing.server)
    } catch (error) {
      this.#isUnfit = true
      throw error
    }
    if (done.status === 'rejected') throw done.reason
    return done.value
  }

  async #drive<T>(step: Step<T> | SlowSteps<T>): Promise<T> {
    const steps = Symbol.asyncIterator in step ? step : step[Symbol.iterator]()
    for (let given: unknown; ; ) {
      const following = steps.next(given)
      const next = following instanceof Promise ? await following : following
      if (next.done === true) return next.value
      const answer = this.#ask(next.value)
      given = answer instanceof Promise ? await answer : answer
    }
  }

  /** The value for the steps; a promise only if they wait for an answer. */
  #ask(asked: Ask | Take): unknown {
    if ('sent' in asked) return this.#answerTo(asked.sent as Sent)
    const { statement, params, shape, isAhead } = asked
    const sent: Sent = { shape, answer: this.#send(this.#session.send(statement as AnyStatement, params)) }
    if (isAhead) return sent
    const isAwaited = shape !== 'run' || this.#unanswered.size > mostUnanswered
    return isAwaited ? this.#answerTo(sent) : undefined
  }

  async #answerTo({ answer, shape }: Sent): Promise<unknown> {
    return answerOf(shape, await this.#first(answer))
  }

  /** @throws the first failure, also one of an earlier statement that nobody waited for. */
  async #first(sent: Promise<Answer>): Promise<Answer> {
    const answer = await sent
    if (this.#failed) throw this.#failure
    return answer
  }

  /** Stores a failure, because nobody may wait for the answer. */
  #send(sent: Promise<Answer>): Promise<Answer> {
    const answered = sent.finally(() => {
      this.#answers++
      this.#unanswered.delete(answered)
    })
    this.#unanswered.add(answered)
    answered.catch((error: unknown) => {
      if (!this.#failed) this.#failure = error
      this.#failed = true
    })
    return answered
  }

  async #commit(kind: Kind): Promise<void> {
    this.#isCommitting = kind !== 'read'
    const committed = this.#send(this.#session.send(committing, []))
    if (kind === 'read' && !this.#failed) {
      // The reads are complete; only the connection waits for the COMMIT.
      void committed.then(
        () => this.#release(false),
        () => this.#release(true),
      )
      return
    }
    const { command = 'COMMIT' } = await committed
    // The server answers COMMIT of a failed transaction with ROLLBACK and no error.
    if (this.#failed) throw this.#failure
    if (command !== 'COMMIT') throw new TypeError(`The commit was answered with ${command}`)
    this.#release(false)
  }

  async #rollBack(): Promise<void> {
    try {
      await Promise.all([...this.#unanswered].map((answered) => answered.catch(() => {})))
      if (!this.#released) await this.#session.sendText('rollback')
      this.#release(this.#isUnfit)
    } catch {
      this.#release(true)
    }
  }

  #release(broken: boolean): void {
    if (!this.#released) this.#session.release(broken)
    this.#released = true
  }
}

function ownedByAnother(): SyncError {
  return new SyncError('aborted', 'Another replica owns the tenant and continues there')
}

function answerOf(shape: Ask['shape'], { rows }: Answer): unknown {
  return shape === 'all' ? rows : shape === 'get' ? rows[0] : undefined
}
