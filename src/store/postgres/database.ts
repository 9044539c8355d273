import { BaseDatabase } from '../base-database.ts'
import type { Changes, Ran, RecordInserts } from '../database.ts'
import { recordInserts } from '../db/postgres/record-inserts.ts'
import { LostCommitError, storeError } from '../db/postgres/store-error.ts'
import type { SlowSteps, Statement, Step, Steps } from '../steps.ts'
import { changeKey } from '../versions.ts'
import type { Kind } from './beginning.ts'
import { RowMemory } from './row-memory.ts'
import type { Sessions } from './session.ts'
import { readTogether, sharedRead } from './shared-read.ts'
import { Statements } from './statement.ts'
import { type Fence, type Timing, transaction } from './transaction.ts'
import { postgresWords } from './words.ts'

/** Each operation takes its own connection for the duration of its transaction. */
export class PostgresDatabase extends BaseDatabase {
  readonly sql = postgresWords
  readonly #sessions: Sessions
  readonly #timing: Timing
  readonly #statements: Statements
  readonly #turns = new Turns()
  readonly #fence: Fence | null
  readonly #barrier: Barrier | null
  readonly #memory: RowMemory | null
  /** Counts beginnings and ends of transactions that write. */
  #writes = 0
  /** Changes of transactions that may still be committed. */
  #uncertain: readonly Changes[] = []
  #settling: Promise<void> | null = null

  constructor(
    sessions: Sessions,
    timing: Timing,
    statements = new Statements(),
    fence: Fence | null = null,
    memory: RowMemory | null = null,
    barrier: Barrier | null = null,
  ) {
    super()
    this.#sessions = sessions
    this.#timing = timing
    this.#statements = statements
    this.#fence = fence
    this.#memory = memory
    this.#barrier = barrier
  }

  get clock(): Timing['clock'] {
    return this.#timing.clock
  }

  /**
   * The same database for one tenant, with caches of its own. Nothing is written once another replica owns the tenant.
   *
   * @param lock locks the row of the fence exclusively if no other transaction holds it.
   */
  fencedBy(text: string, params: readonly unknown[], lock: string | null = null): PostgresDatabase {
    const fenceOf = (sql: string): Fence => {
      const statement = this.#statements.of<readonly unknown[], unknown>(sql, 'arrays')
      return { statement, params: statement.parametersOf(params) }
    }
    const own = lock === null ? null : { lock: fenceOf(lock), attempt: fenceOf(`${lock} skip locked`) }
    return new PostgresDatabase(this.#sessions, this.#timing, this.#statements, fenceOf(text), null, own)
  }

  /** The same database for the owner of a tenant: `readOwn` keeps rows until this database writes. */
  remembering(): PostgresDatabase {
    return new PostgresDatabase(
      this.#sessions,
      this.#timing,
      this.#statements,
      this.#fence,
      new RowMemory(),
      this.#barrier,
    )
  }

  /** Closes a connection, for another pool that the server refuses one. */
  async makeRoom(signal: AbortSignal): Promise<boolean> {
    return (await this.#sessions.makeRoom?.(signal)) ?? false
  }

  /** Transactions in progress fail. */
  breakConnections(): void {
    this.#sessions.breakAll?.()
  }

  /** Transactions in progress continue; later ones get new connections. */
  distrustConnections(): void {
    this.#sessions.distrustAll?.()
  }

  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row> {
    return this.#statements.of(text, 'objects')
  }

  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row> {
    return this.#statements.of(text, 'arrays')
  }

  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value> {
    return this.#statements.of(text, 'values')
  }

  recordInserts(table: string, columns: readonly string[]): RecordInserts {
    return recordInserts((text) => this.prepareValues(text), table, columns)
  }

  read<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.#read(body))
  }

  /** Like `read`, for a body that also waits for other things, each time less than `idleMs`. */
  readSlowly<T>(body: () => SlowSteps<T>): Ran<Promise<T>> {
    return this.run(() => this.#read(body))
  }

  override readOwn<T>(body: () => Step<T>): Ran<Promise<T>> {
    const memory = this.#memory
    if (memory === null) return this.read(body)
    return this.run(() => memory.read(body, (noting) => this.#read(noting)))
  }

  override async readTogether<T>(work: () => Promise<T>): Promise<T> {
    if (sharedRead(this.#sessions) !== null) return work()
    await this.run(() => this.#settled())
    return readTogether(this.#sessions, this.#timing, () => this.#writes, work)
  }

  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => this.#noted('nothing', () => this.#transaction('progress', body)))
  }

  async transact<T>(changes: Changes, body: () => Step<T>): Promise<T> {
    const end = await this.#turns.take(changes)
    try {
      return await this.#noted(changes, () => this.#transaction('write', body))
    } finally {
      end()
      // Whatever the outcome, which is unknown after a lost connection.
      this.versions.note(changes)
    }
  }

  /** Sequences give out ids before rows are committed; returns the last ids at a moment at which nobody writes. */
  override settledIds(tables: readonly string[]): Promise<readonly number[] | null> {
    const barrier = this.#barrier
    const given = tables.map((table) =>
      this.prepareValues<[], number>(
        `select case when is_called then last_value else last_value - 1 end from "${table}_id_seq"`,
      ),
    )
    return this.#transaction('write', function* () {
      if (barrier !== null && (yield* rowsOf(barrier.attempt)).length === 0) return null
      const ids: number[] = []
      for (const statement of given) ids.push((yield* statement.get()) ?? 0)
      return ids
    })
  }

  protected override errorOf(error: unknown): unknown {
    return storeError(error)
  }

  async #noted<T>(changes: Changes, transaction: () => Promise<T>): Promise<T> {
    await this.#settled()
    const counted = async () => {
      this.#writes++
      try {
        return await transaction()
      } finally {
        this.#writes++
      }
    }
    try {
      return await (this.#memory === null ? counted() : this.#memory.write(counted))
    } catch (error) {
      if (this.#barrier !== null && error instanceof LostCommitError) {
        this.#uncertain = [...this.#uncertain, changes]
        // If this fails, too, it is repeated before the next read or write.
        await this.#settled().catch(() => {})
      }
      throw error
    }
  }

  async #read<T>(body: () => Step<T> | SlowSteps<T>): Promise<T> {
    if (sharedRead(this.#sessions) === null) await this.#settled()
    return this.#transaction('read', body)
  }

  /** Waits for the end of transactions that may still be committed: earlier reads could return outdated rows. */
  async #settled(): Promise<void> {
    while (this.#uncertain.length > 0) {
      this.#settling ??= this.#settle().finally(() => {
        this.#settling = null
      })
      await this.#settling
    }
  }

  async #settle(): Promise<void> {
    const [barrier, changes] = [this.#barrier, this.#uncertain]
    try {
      if (barrier !== null) await this.#transaction('write', () => rowsOf(barrier.lock))
    } catch (error) {
      // The lock was granted before the connection was lost, so the others have ended.
      if (!(error instanceof LostCommitError)) throw error
    }
    this.#uncertain = this.#uncertain.slice(changes.length)
    for (const one of changes) this.versions.note(one)
  }

  #transaction<T>(kind: Kind, body: () => Step<T> | SlowSteps<T>): Promise<T> {
    const shared = kind === 'read' ? sharedRead(this.#sessions) : null
    if (shared !== null) return shared.read(body)
    const fence = kind === 'read' ? null : this.#fence
    return transaction(this.#sessions, this.#timing, { kind, body, fence })
  }
}

/** An exclusive lock of a fence: with a wait, or only if no other transaction holds it. */
interface Barrier {
  readonly lock: Fence
  readonly attempt: Fence
}

function* rowsOf({ statement, params }: Fence): Steps<readonly unknown[]> {
  return (yield { statement, params, shape: 'all' }) as readonly unknown[]
}

/** Runs transactions that change the same rows one after the other, because they would conflict and be repeated. */
class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Resolves once earlier transactions with the same changes have ended; call the result at the end of this one. */
  async take(changes: Changes): Promise<() => void> {
    if (typeof changes === 'string' || 'length' in changes) return () => {}
    const key = changeKey(changes)
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    await before
    return () => {
      if (this.#last.get(key) === promise) this.#last.delete(key)
      resolve()
    }
  }
}
