import type { Clock, Random } from '../../model/clock.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import type { Ask, SlowSteps, Step } from '../steps.ts'
import type { Answer, Session, Sessions } from './session.ts'
import type { AnyStatement } from './statement.ts'
import { codeOf, serverSilent } from './store-error.ts'

/** `progress`: a crash of the server can lose it, with all that was committed as progress after it. */
export type Kind = 'read' | 'write' | 'progress'

export interface Timing {
  readonly clock: Pick<Clock, 'sleep'>
  readonly random: Random
  readonly limits?: Limits
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

/** Tries of a transaction that conflicts with another one. */
const mostTries = 6
const firstPauseMs = 10

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
  return ['40001', '40P01'].includes(codeOf(error))
}

async function attempt<T>(sessions: Sessions, timing: Timing, work: Work<T>): Promise<T> {
  const session = await sessions.take()
  const running = new Transaction(session, timing.limits ?? defaults)
  const stop = new AbortController()
  const silence = running.endInSilence(timing.clock, stop.signal)
  try {
    return await Promise.race([running.run(work), silence])
  } finally {
    stop.abort()
  }
}

class Transaction {
  readonly #session: Session
  readonly #limits: Limits
  readonly #unanswered = new Set<Promise<Answer>>()
  #answers = 0
  /** The first failure: PostgreSQL refuses everything after it. */
  #failed = false
  #failure: unknown
  #released = false

  constructor(session: Session, limits: Limits) {
    this.#session = session
    this.#limits = limits
  }

  async run<T>({ kind, body, fence }: Work<T>): Promise<T> {
    const begun = this.#send(this.#session.sendText(this.#begin(kind)))
    const owned = fence === null ? null : this.#send(this.#session.send(fence.statement, fence.params))
    try {
      const result = await this.#drive(body(), begun)
      if (owned !== null && (await this.#first(owned)).rows.length === 0) throw ownedByAnother()
      await this.#commit(kind)
      return result
    } catch (error) {
      await this.#rollBack()
      throw this.#failed ? this.#failure : error
    }
  }

  /** Rejects when the server is silent for too long. */
  async endInSilence(clock: Pick<Clock, 'sleep'>, signal: AbortSignal): Promise<never> {
    for (let seen = -1; ; ) {
      try {
        await clock.sleep(this.#limits.silenceMs, signal)
      } catch {
        return await new Promise<never>(() => {})
      }
      if (this.#unanswered.size > 0 && this.#answers === seen) break
      seen = this.#answers
    }
    this.#release(true)
    throw serverSilent()
  }

  #begin(kind: Kind): string {
    const { statementMs, idleMs } = this.#limits
    const access = kind === 'read' ? ', read only' : ''
    // For this transaction alone: with a pooler, the next one may run on another connection.
    const settings = [
      `set local statement_timeout = ${statementMs}`,
      `set local idle_in_transaction_session_timeout = ${idleMs}`,
      ...(kind === 'progress' ? ['set local synchronous_commit = off'] : []),
    ]
    return [`begin isolation level repeatable read${access}`, ...settings].join('; ')
  }

  async #drive<T>(step: Step<T> | SlowSteps<T>, begun: Promise<Answer>): Promise<T> {
    const steps = Symbol.asyncIterator in step ? step : step[Symbol.iterator]()
    let isBegun = false
    for (let given: unknown; ; ) {
      const following = steps.next(given)
      const next = following instanceof Promise ? await following : following
      if (next.done === true) return next.value
      const { statement, params, shape } = next.value
      // Outside of the transaction, a write would be stored whatever follows.
      if (shape === 'run' && !isBegun) await begun
      isBegun = true
      const sent = this.#send(this.#session.send(statement as AnyStatement, params))
      const isAwaited = shape !== 'run' || this.#unanswered.size > mostUnanswered
      given = isAwaited ? answerOf(shape, await this.#first(sent)) : undefined
    }
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
    const committed = this.#send(this.#session.sendText('commit'))
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
      this.#release(false)
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
