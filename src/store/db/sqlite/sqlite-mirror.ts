import { setImmediate as nextTurn } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import type BetterSqlite3 from 'better-sqlite3'
import { SyncError } from '../../../model/errors.ts'
import type { Mirror } from '../../port.ts'
import { storesOver } from '../../stores.ts'
import { type Db, type RowMode, type Sql, sqliteDialect } from '../db.ts'
import { assertInPlace, type OpenFiles, openFilesOf } from './database-file.ts'
import { type OpenedFile, openBesideEngine, openForEngine } from './open.ts'
import { codeOf, damaged, isDamage, storeError } from './store-error.ts'
import { verifyFile } from './verify-file.ts'

/**
 * As `engine`, opens the file exclusively and migrates it.
 *
 * @throws FatalError when the file cannot be opened.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  const opened = role === 'engine' ? openForEngine(path) : openBesideEngine(path)
  const db = new SqliteDb(opened)
  let { isVerified } = opened
  return {
    ...storesOver(db),
    async ping() {
      db.assertUsable()
      // Reads the file, unlike a query without a table.
      await db.read((sql) => sql('pragma schema_version'))
    },
    isVerified: () => isVerified,
    async verify(signal = new AbortController().signal) {
      db.assertUsable()
      await verifyFile(opened.file, signal)
      isVerified = true
    },
    [Symbol.asyncDispose]: () => db.close(),
  }
}

/** SQLite through two connections of one process. Statements are synchronous; their promises keep `Db` one interface. */
export class SqliteDb implements Db {
  readonly dialect = sqliteDialect
  readonly #opened: OpenedFile
  readonly #files: OpenFiles
  readonly #writer: Connection
  readonly #reader: Connection
  /** Code of the damage that a statement found. */
  #damage: string | null = null

  constructor(opened: OpenedFile) {
    this.#opened = opened
    this.#files = openFilesOf(opened.file)
    this.#writer = new Connection(opened.writer, { begin: 'begin immediate', mostTogether: 8 })
    // One snapshot a transaction, so that each sees what was committed before it.
    this.#reader = new Connection(opened.reader, { begin: 'begin', mostTogether: 1 })
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(this.#reader.transaction(work))
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(this.#writer.transaction(work))
  }

  /** @throws FatalError when a file of the database was lost or replaced, or a statement found damage. */
  assertUsable(): void {
    const { file } = this.#opened
    assertInPlace(file, this.#files)
    if (this.#damage !== null) throw damaged(file, this.#damage)
  }

  /** Closes the connections after the transactions in progress. */
  async close(): Promise<void> {
    await Promise.all([this.#reader.idle(), this.#writer.idle()])
    this.#opened[Symbol.dispose]()
  }

  async #converted<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      if (!this.#opened.writer.open) throw new SyncError('store', 'The mirror is closed', { cause: error })
      const code = codeOf(error)
      if (isDamage(code)) this.#damage ??= code
      throw storeError(error)
    }
  }
}

interface Pending {
  readonly work: (sql: Sql) => Promise<unknown>
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * A connection whose transactions run one after the other. A few that wait at the same time share a commit, because each
 * waits for the disk; one that fails is rolled back alone. Other programs wait for as long as these have the lock.
 */
class Connection {
  readonly #raw: BetterSqlite3.Database
  readonly #begin: string
  readonly #mostTogether: number
  readonly #statements = new Map<string, BetterSqlite3.Statement<unknown[], unknown>>()
  readonly #mutex = new Mutex()
  readonly #pending: Pending[] = []

  constructor(raw: BetterSqlite3.Database, { begin, mostTogether }: { begin: string; mostTogether: number }) {
    this.#raw = raw
    this.#begin = begin
    this.#mostTogether = mostTogether
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#pending.push({ work, resolve, reject })
    void this.#mutex.runExclusive(() => this.#runPending())
    return promise
  }

  async #runPending(): Promise<void> {
    // An earlier call ran them.
    if (this.#pending.length === 0) return
    // Statements are synchronous, so transactions in a row would keep the event loop from everything else.
    await nextTurn()
    const together = this.#pending.splice(0, this.#mostTogether)
    const settled: (() => void)[] = []
    try {
      this.#raw.exec(this.#begin)
      for (const one of together)
        settled.push(together.length === 1 ? await this.#perform(one) : await this.#attempt(one))
      this.#raw.exec('commit')
    } catch (error) {
      for (const { reject } of together) reject(error)
      if (this.#raw.inTransaction) this.#raw.exec('rollback')
      return
    }
    for (const settle of settled) settle()
  }

  async #perform({ work, resolve }: Pending): Promise<() => void> {
    const result = await work(this.#sql)
    return () => resolve(result as never)
  }

  /** @throws an error after which SQLite has ended the whole transaction, such as a full disk. */
  async #attempt(one: Pending): Promise<() => void> {
    this.#raw.exec('savepoint attempt')
    try {
      const settle = await this.#perform(one)
      this.#raw.exec('release attempt')
      return settle
    } catch (error) {
      if (!this.#raw.inTransaction) throw error
      this.#raw.exec('rollback to attempt; release attempt')
      return () => one.reject(error)
    }
  }

  idle(): Promise<void> {
    return this.#mutex.runExclusive(() => {})
  }

  async #run<Row>(text: string, params: readonly unknown[] = [], mode: RowMode = 'objects'): Promise<Row[]> {
    const statement = this.#statementOf(text, mode)
    const bound = params.map(boundAs)
    if (statement.reader) return statement.all(...bound) as Row[]
    statement.run(...bound)
    return []
  }

  readonly #sql: Sql = Object.assign(this.#run.bind(this), { dialect: sqliteDialect })

  #statementOf(text: string, mode: RowMode): BetterSqlite3.Statement<unknown[], unknown> {
    const key = `${mode} ${text}`
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    const statement = this.#raw.prepare<unknown[], unknown>(text)
    if (statement.reader && mode === 'arrays') statement.raw()
    if (statement.reader && mode === 'values') statement.pluck()
    this.#statements.set(key, statement)
    return statement
  }
}

/** Lists are JSON, also as members of an object. */
function boundAs(param: unknown): unknown {
  if (Array.isArray(param)) return JSON.stringify(param)
  if (typeof param !== 'object' || param === null || Buffer.isBuffer(param)) return param
  return Object.fromEntries(Object.entries(param).map(([name, value]) => [name, boundAs(value)]))
}
