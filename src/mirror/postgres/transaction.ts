import type { Clock, Random } from '../../model/clock.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import type { Ask, SlowSteps, Step, Take } from '../steps.ts'
import { begin, committing, insistOnUse, type Kind, limiting } from './beginning.ts'
import { isToShow } from './lanes.ts'
import type { PresentServer } from './present-server.ts'
import type { Answer, Session, Sessions } from './session.ts'
import type { AnyStatement } from './statement.ts'
import { driverCodeOf, ofCommit, serverSilent } from './store-error.ts'

export interface Timing {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly limits?: Limits
  /** Where the tables are; what the role or the database sets may change while the mirror is open. */
  readonly searchPath?: string
  /** The only server whose connections are used; absent = any. */
  readonly server?: PresentServer
}

/** In milliseconds. */
export interface Limits {
  /** The server ends a longer statement. */
  readonly statementMs: number
  /** The server ends a transaction that waits longer for its next statement. */
  readonly idleMs: number
  /** The connection is closed when the server is silent for longer although an answer is due. */
  readonly silenceMs: number
}

const defaults: Limits = { statementMs: minuteMs, idleMs: 5 * secondMs, silenceMs: minuteMs + 15 * secondMs }

/** A scrape or a page that fails is soon asked for again. */
const limitsToShow: Limits = { ...defaults, statementMs: 15 * secondMs, silenceMs: 20 * secondMs }

/** Tries of a transaction that conflicts with another one. */
const mostTries = 6
const firstPauseMs = 10

/** How often it is looked whether answers came, in milliseconds. */
const lookMs = 3 * secondMs

/** Statements sent before the answer of the last one is waited for. */
const mostUnanswered = 1000

/** What a transaction that writes must find: else another replica owns the tenant, and nothing is stored. */
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
 * Runs the body again, from its beginning, after a conflict with another transaction.
 *
 * @throws what the body throws; SyncError `aborted` when the fence finds nothing.
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

/** Serialization failure, or chosen to end a deadlock: nothing of the transaction was stored. */
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

/** A transaction whose server may not be silent for too long. */
export function watched(session: Session, timing: Timing) {
  const { clock, limits = isToShow() ? limitsToShow : defaults } = timing
  const running = new Transaction(session, { ...timing, limits })
  const stop = new AbortController()
  const silence = running.endInSilence(clock, stop.signal)
  // Between two reads nobody waits for it.
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
  /** The first failure: PostgreSQL refuses everything after it. */
  #failed = false
  #failure: unknown
  #released = false
  /** The COMMIT of what it wrote is sent. */
  #isCommitting = false
  #begun: Promise<Answer> | null = null
  /** The connection must not be used again. */
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

  /** Rejects when the server is silent for too long, or has nothing under way for this connection although an answer is due. */
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
        // Known at the next look: the server may not answer this, either.
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
    // For this transaction alone: with a pooler, the next one may run on another connection.
    const params = [`${limits.statementMs}`, `${limits.idleMs}`, searchPath]
    this.#begun = this.#send(this.#session.send(limiting[kind], params))
  }

  /** Whatever the work found, it is of no use where the connection is not. */
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

  /** What the steps are given: a promise of it only where they wait for an answer. */
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

  /** A failure is kept: nobody may wait for the answer. */
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
      // What was read is known; only the connection waits.
      void committed.then(
        () => this.#release(false),
        () => this.#release(true),
      )
      return
    }
    const { command = 'COMMIT' } = await committed
    // Of a failed transaction, a commit is answered with ROLLBACK and no error.
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
