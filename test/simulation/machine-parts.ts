import BetterSqlite3 from 'better-sqlite3'
import type { Check } from '../../src/evaluate/check.ts'
import type { Log } from '../../src/model/log.ts'
import type { Mirror } from '../../src/store/port.ts'
import { overRecords } from '../support/record-tables.ts'
import type { Prng } from './prng.ts'
import type { Scope, VirtualTime } from './virtual-time.ts'

const immediate: ReadonlySet<string | symbol> = new Set([
  'dataVersion',
  'findings',
  'openDigests',
  'records',
  Symbol.asyncDispose,
])

export interface SlowStoreParts {
  readonly time: VirtualTime
  readonly scope: Scope
  readonly prng: Prng
  /** Called at each await on the store; true when the process dies there. */
  readonly dies: (operation: string, first: unknown) => boolean
  /** Not slow while the process starts, which nothing virtual can wait for. */
  readonly pace: { readonly slow: boolean }
}

/**
 * The mirror with waits around some of its operations, so that everything else can come between any two awaits: other
 * runs, the evaluation, and the end of the process before an operation or right after it.
 */
export function slowStore(store: Mirror, parts: SlowStoreParts): Mirror {
  const { time, scope, prng, pace, dies } = parts
  return new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name)
      if (typeof operation !== 'function' || immediate.has(name)) return operation
      return async (...values: readonly unknown[]): Promise<unknown> => {
        if (!pace.slow) return Reflect.apply(operation, target, values)
        const when = prng.next()
        if (dies(String(name), values[0])) return forever()
        if (when < 0.12) await time.sleep(prng.between(1, 40), scope)
        const result: unknown = await Reflect.apply(operation, target, values)
        if (dies(String(name), values[0])) return forever()
        if (when > 0.88) await time.sleep(prng.between(1, 40), scope)
        return result
      }
    },
  })
}

/** A promise that never settles, for a dead process. */
function forever(): Promise<never> {
  return new Promise<never>(() => {})
}

/** Reads the database file beside the process that works on it, while one does. */
export class SideReader {
  #database: BetterSqlite3.Database | null = null
  readonly #statements = new Map<string, BetterSqlite3.Statement>()

  open(path: string): void {
    this.#database = new BetterSqlite3(path)
  }

  query(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    const statement = this.#statements.get(sql) ?? this.#database?.prepare(overRecords(sql))
    if (statement === undefined) return []
    this.#statements.set(sql, statement)
    return statement.all(...values) as Record<string, unknown>[]
  }

  close(): void {
    this.#statements.clear()
    this.#database?.close()
    this.#database = null
  }
}

class Ailment extends Error {}

/** The checks with one of them broken: it throws whenever it is to evaluate. */
export function withAiling(checks: readonly Check[], id: string | null): readonly Check[] {
  const begin = () => {
    throw new Ailment(`${id} cannot evaluate`)
  }
  return checks.map((check) => (check.id === id ? { ...check, begin } : check))
}

/**
 * A log that reports faults of the product itself, which it logs as errors.
 *
 * @param line receives every line as it would be written.
 */
export function bugLog(bug: (message: string) => void, line: (text: string) => void): Log {
  const note = (fields: object, message: string) => line(`${message} ${JSON.stringify(fields)}`)
  const log: Log = {
    debug: note,
    info: note,
    warn: note,
    error(fields, message) {
      note(fields, message)
      const error = 'err' in fields && fields.err instanceof Error ? fields.err : null
      const isMeant = error instanceof Ailment || message.startsWith('The data look like another tenant')
      if (!isMeant) bug(`${message} ${error?.stack ?? ''}`)
    },
    child: () => log,
  }
  return log
}
