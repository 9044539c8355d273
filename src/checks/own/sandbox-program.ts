import type * as Sqlite from 'node:sqlite'
import type { NoAnswer, OwnAnswer } from '../../evaluate/own-query.ts'
import type { ResourceName } from '../../model/resource-names.ts'

export type Row = readonly (string | number | null)[]

/** Input of a sandbox: SQL to execute, or once for each row, or a query, which it answers. */
export type Message = { readonly sql: string; readonly rows?: readonly Row[] } | Job

export interface Job {
  readonly query: string
  readonly parameters: { readonly now: number; readonly tenant: string }
  readonly inputs: readonly ResourceName[]
  /** The resource of each table and view. */
  readonly views: readonly (readonly [name: string, resource: ResourceName])[]
  readonly maxRows: number
  /** Limit of entities and reasons together, in UTF-16 units. */
  readonly maxText: number
}

/** Source text of the program: functions that use nothing but their arguments and each other. */
export function sandboxProgram(memoryLimit: number): string {
  const functions = [answerOf, refusalOf, readAnswer, watchProcess]
  return `${functions.join('\n')}\n(${runSandbox})(require, ${memoryLimit}, ${process.pid})`
}

function runSandbox(load: NodeJS.Require, memoryLimit: number, parent: number): void {
  const { DatabaseSync, constants } = load('node:sqlite') as typeof Sqlite
  const { Worker } = load('node:worker_threads') as typeof import('node:worker_threads')
  new Worker(`(${watchProcess})(${memoryLimit}, ${parent})`, { eval: true })
  const database = new DatabaseSync(':memory:', {
    enableDoubleQuotedStringLiterals: false,
    // Node 24 ignores them: there, the authorizer and the limit of memory are enough.
    limits: { length: 2 ** 20, sqlLength: 2 ** 20, attach: 0, vdbeOp: 1_000_000 },
  })
  // Permissions of Node do not cover the files of SQLite, such as those for sorting.
  database.exec('pragma temp_store = memory')
  process.on('message', (message: Message) => {
    if ('query' in message) process.send?.(answerOf(database, constants, message))
    else if (message.rows === undefined) database.exec(message.sql)
    else {
      const statement = database.prepare(message.sql)
      for (const row of message.rows) statement.run(...row)
    }
  })
}

/** In a thread of its own, because a query cannot be interrupted. Also ends the process without its parent. */
function watchProcess(memoryLimit: number, parent: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryLimit) process.kill(process.pid, 'SIGUSR2')
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 10)
}

function answerOf(database: Sqlite.DatabaseSync, constants: typeof Sqlite.constants, job: Job): OwnAnswer | NoAnswer {
  const refusals: string[] = []
  try {
    if (database.setAuthorizer === undefined) throw new TypeError('own checks need Node 24.10 or newer')
    database.setAuthorizer((action, first, second, schema) => {
      const refusal = refusalOf(constants, job, action, { first: String(first), second: String(second), schema })
      if (refusal === null) return constants.SQLITE_OK
      refusals.push(refusal)
      return constants.SQLITE_DENY
    })
    return readAnswer(database.prepare(job.query), job)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // SQLite quotes values that it cannot use, such as a path within JSON; they may be the tenant's.
    const masked = message.replace(/'[\s\S]*'/, (quoted) => (job.query.includes(quoted) ? quoted : '(a value)'))
    return { kind: 'failed', problem: refusals[0] ?? masked }
  }
}

interface AuthorizedNames {
  readonly first: string
  readonly second: string
  readonly schema: string | null
}

/** Why a query may not do what SQLite asks about; null if it may. */
function refusalOf(
  constants: typeof Sqlite.constants,
  { inputs, views }: Job,
  action: number,
  { first, second, schema }: AuthorizedNames,
): string | null {
  if (action === constants.SQLITE_SELECT || action === constants.SQLITE_RECURSIVE) return null
  if (action === constants.SQLITE_FUNCTION) {
    const refused = /^(random|randomblob|(total_)?changes|last_insert_rowid|load_extension|sqlite_log|(fts|rtree).*)$/
    return refused.test(second) ? `it uses the function ${second}` : null
  }
  if (action !== constants.SQLITE_READ) return 'it is not a SELECT'
  const table = first.toLowerCase()
  const [, resource] = views.find(([name]) => name === table) ?? []
  if (resource !== undefined)
    return inputs.includes(resource) ? null : `it reads ${resource}, which inputs does not name`
  // Without a schema, the name is that of a `with` clause or of a module.
  const isClause = schema === null && !/^(sqlite|pragma)_/.test(table)
  return isClause || /^json_(each|tree)$/.test(table) ? null : `it reads ${first}, which is none of the views`
}

function readAnswer(statement: Sqlite.StatementSync, { parameters, maxRows, maxText }: Job): OwnAnswer {
  const names = statement.columns().map(({ name }) => name)
  const [entityAt = -1, statusAt = -1, reasonAt = -1] = ['entity', 'status', 'reason'].map((name) =>
    names.indexOf(name),
  )
  if (names.length !== 3 || Math.min(entityAt, statusAt, reasonAt) < 0) {
    const found = names.length === 0 ? 'none' : names.join(', ').slice(0, 200)
    throw new TypeError(`its columns are ${found}; expected exactly entity, status and reason`)
  }
  const severities = ['ok', 'skip', 'error', 'alarm']
  const entities = new Map<string, { readonly severity: number; readonly reasons: Set<string> }>()
  const ok = new Set<string>()
  let [row, notOk, size] = [0, 0, 0]
  function textOf(value: unknown, column: string): string {
    const text = typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && text.trim() !== '') return text
    const found = typeof text === 'string' ? 'empty' : value === null ? 'null' : 'a blob'
    throw new RangeError(`row ${row}: ${column} is ${found}; expected a text or a number`)
  }
  statement.setReadBigInts(true)
  statement.setAllowUnknownNamedParameters(true)
  // Arrays take a quarter less time, and there may be a million rows.
  statement.setReturnArrays(true)
  for (const values of statement.iterate({ now: BigInt(parameters.now), tenant: parameters.tenant })) {
    const list = values as unknown as readonly unknown[]
    row++
    const entity = textOf(list[entityAt], 'entity')
    const severity = severities.indexOf(String(list[statusAt]))
    if (severity < 0) throw new RangeError(`row ${row}: its status is none of ok, alarm, skip, error`)
    if (severity === 0) {
      ok.add(entity)
      continue
    }
    if (++notOk > maxRows) throw new RangeError(`it returns more than ${maxRows} rows that are not ok`)
    const reason = severity === 1 ? '' : textOf(list[reasonAt], 'reason').trim().slice(0, 2000)
    size += entity.length + reason.length
    if (size > maxText) throw new RangeError(`it returns more than ${maxText} characters`)
    const known = entities.get(entity)
    if (known?.severity === severity) known.reasons.add(reason)
    else if (known === undefined || known.severity < severity)
      entities.set(entity, { severity, reasons: new Set([reason]) })
  }
  for (const entity of entities.keys()) ok.delete(entity)
  const ofStatus = (status: string) =>
    [...entities].flatMap(([entity, { severity, reasons }]) =>
      severities[severity] === status ? [[entity, [...reasons].sort().join(' ')] as const] : [],
    )
  const skipped = ofStatus('skip').map(([entity]) => entity)
  return { kind: 'answered', ok: ok.size, alarms: ofStatus('alarm'), errors: ofStatus('error'), skipped }
}
