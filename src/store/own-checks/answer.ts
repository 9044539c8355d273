import type * as Sqlite from 'node:sqlite'
import type { EntityReason, Job, NoAnswer, OwnAnswer } from './question.ts'

/**
 * Runs in another process from its source, so it uses only its arguments. Tables can only be read through hidden views
 * with random names, because a `with` clause could take the name of a view.
 */
export function answerOf({ DatabaseSync, constants }: typeof Sqlite, job: Job): OwnAnswer | NoAnswer {
  let refused: string | undefined

  function open(): Sqlite.DatabaseSync {
    const database = new DatabaseSync(job.file ?? ':memory:', {
      readOnly: job.file !== null,
      enableDoubleQuotedStringLiterals: false,
      timeout: 5000,
      limits: { length: job.maxValueBytes, sqlLength: job.maxValueBytes, attach: 0, vdbeOp: 1_000_000 },
    })
    if (database.setAuthorizer === undefined) throw new TypeError('own checks need Node 24.10 or newer')
    for (const text of job.emptyTables) database.exec(text)
    // Sort in memory, which is limited, not on disk.
    database.exec('pragma temp_store = memory; pragma mmap_size = 0; pragma cache_size = -8192')
    return database
  }

  function close(database: Sqlite.DatabaseSync): void {
    const functions = database
      .prepare("select distinct name from pragma_function_list where flags & 0x200000 and name not glob 'fts*'")
      .all()
    const unsteady = ['random', 'randomblob', 'changes', 'total_changes', 'last_insert_rowid', 'sqlite_log']
    const usable = new Set(functions.map(({ name }) => String(name)).filter((name) => !unsteady.includes(name)))
    const key = `v${database.prepare('select lower(hex(randomblob(16))) as key').get()?.['key']}`
    const undeclared = new Map(
      job.views.flatMap(({ name, undeclared: input }) => [[name, input] as const, [`${key}_${name}`, input] as const]),
    )
    const hidden = new Set(job.views.map(({ name }) => `${key}_${name}`))
    const tables = database
      .prepare('select name from main.sqlite_schema union select name from pragma_module_list')
      .all()
    const taken = new Set(tables.map(({ name }) => String(name).toLowerCase()))
    const isSystem = (name: string) => name.startsWith('sqlite_') || name.startsWith('pragma_')
    for (const { name, columns, body } of job.views) {
      database.exec(`create temp view "${key}_${name}" as ${body}`)
      database.exec(
        `create temp view "${name}" as select ${columns.map((c) => `"${c}"`).join(', ')} from "${key}_${name}"`,
      )
    }
    database.exec('pragma query_only = on')
    const deny = (why: string) => {
      refused ??= why
      return constants.SQLITE_DENY
    }
    database.setAuthorizer((action, first, second, schema, by) => {
      switch (action) {
        case constants.SQLITE_SELECT:
        case constants.SQLITE_RECURSIVE:
          return constants.SQLITE_OK
        case constants.SQLITE_FUNCTION:
          return usable.has(String(second)) ? constants.SQLITE_OK : deny(`it uses the function ${second}`)
        case constants.SQLITE_READ: {
          // If no column is read, the name is as written in the query, and the schema may be missing.
          const table = String(first).toLowerCase()
          const input = undeclared.get(hidden.has(String(by)) ? String(by) : table)
          if (typeof input === 'string') return deny(`it reads ${input}, which inputs does not name`)
          if (hidden.has(String(by)) || table === 'json_each' || table === 'json_tree') return constants.SQLITE_OK
          if ((schema === 'temp' || schema === null) && input === null) return constants.SQLITE_OK
          const isClause = schema === null && !taken.has(table) && !isSystem(table)
          return isClause ? constants.SQLITE_OK : deny(`it reads ${first}, which is none of the views`)
        }
        default:
          return deny('it is not a SELECT')
      }
    })
  }

  function insistOnColumns(statement: Sqlite.StatementSync): void {
    const names = statement.columns().map(({ name }) => name)
    const wanted = ['entity', 'status', 'reason']
    if (names.length === 3 && wanted.every((name) => names.includes(name))) return
    const shown = names.length === 0 ? 'none' : names.join(', ').slice(0, 200)
    throw new TypeError(`its columns are ${shown}; expected exactly entity, status and reason`)
  }

  function read(statement: Sqlite.StatementSync): OwnAnswer {
    const alarms = new Map<string, Set<string>>()
    const errors = new Map<string, Set<string>>()
    const skipped = new Set<string>()
    let ok = 0
    let row = 0
    let kept = 0
    let size = 0
    const fail = (why: string): never => {
      throw new RangeError(`row ${row}: ${why}`)
    }
    const textOf = (value: unknown, column: string): string => {
      if (typeof value === 'string') return value
      if (typeof value === 'bigint' || typeof value === 'number') return String(value)
      return fail(`${column} is ${value === null ? 'null' : 'a blob'}; expected a text or a number`)
    }
    const names = statement.columns().map(({ name }) => name)
    const at = { entity: names.indexOf('entity'), status: names.indexOf('status'), reason: names.indexOf('reason') }
    // Arrays take a quarter less time, and there may be a million rows.
    statement.setReturnArrays(true)
    for (const values of statement.iterate({ now: BigInt(job.parameters.now), tenant: job.parameters.tenant })) {
      const list = values as unknown as readonly unknown[]
      row++
      const name = textOf(list[at.entity], 'entity')
      const status = list[at.status]
      if (name === '') fail('entity is empty')
      if (status === 'ok') {
        ok++
        continue
      }
      if (status !== 'alarm' && status !== 'error' && status !== 'skip')
        fail('its status is none of ok, alarm, skip, error')
      if (++kept > job.maxRows) throw new RangeError(`it returns more than ${job.maxRows} rows that are not ok`)
      if (status === 'skip') {
        skipped.add(name)
        size += name.length
      } else {
        const sentence = textOf(list[at.reason], 'reason').trim()
        if (sentence === '') fail('reason is empty; expected a sentence')
        const said = status === 'alarm' ? alarms : errors
        const sentences = said.get(name) ?? new Set()
        sentences.add(sentence.slice(0, 2000))
        said.set(name, sentences)
        size += name.length + Math.min(sentence.length, 2000)
      }
      if (size > job.maxText) throw new RangeError(`it returns more than ${job.maxText} characters`)
    }
    const inOrder = (said: Map<string, Set<string>>): EntityReason[] =>
      [...said].map(([name, sentences]) => [name, [...sentences].sort().join(' ')] as const)
    return {
      kind: 'answered',
      ok,
      alarms: inOrder(alarms),
      errors: inOrder(errors).filter(([name]) => !alarms.has(name)),
      skipped: [...skipped].filter((name) => !alarms.has(name) && !errors.has(name)),
    }
  }

  let database: Sqlite.DatabaseSync | undefined
  try {
    database = open()
    close(database)
    const statement = database.prepare(job.query)
    statement.setReadBigInts(true)
    statement.setAllowUnknownNamedParameters(true)
    insistOnColumns(statement)
    return read(statement)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    // SQLite quotes values that it cannot use, such as a path within JSON; they may be the tenant's.
    const problem =
      refused ?? said.replace(/'[\s\S]*'/, (quoted) => (job.query.includes(quoted) ? quoted : '(a value)'))
    return { kind: 'failed', problem }
  } finally {
    database?.close()
  }
}
