// @ts-nocheck
import { minuteMs, secondMs } from '../../../model/durations.ts'
import { reasonOf } from '../../../model/errors.ts'
import type { ResourceName } from '../../../model/resource-names.ts'
import type { NoAnswer } from '../../own-checks/question.ts'
import { failed, Sandbox } from '../../own-checks/sandbox.ts'
import { type SnapshotTable, snapshotTables } from '../../own-checks/views.ts'

const [columnOf, leastKey, recordTables]: any[] = []

import type { Db, Sql, Stored } from '../db.ts'

/** Name of the in-memory database in the sandbox, which each query opens. */
export const snapshotFile = 'file:/snapshot?vfs=memdb'

export interface SnapshotLimits {
  readonly timeoutMs: number
  /** Limit of the records as sent to the sandbox. */
  readonly maxBytes: number
}

export const snapshotLimits: SnapshotLimits = { timeoutMs: minuteMs, maxBytes: 512 * 2 ** 20 }

/** Records read at once. */
const pageSize = 1000

export interface Snapshot {
  readonly sandbox: Sandbox
  /** Of the records, as sent to the sandbox. */
  readonly bytes: number
}

interface Wanted {
  readonly tenantId: number
  readonly resources: ReadonlySet<ResourceName>
}

/**
 * A sandbox with the live records of a tenant, all as of one state of the database (docs/own-checks.md#with-postgresql).
 *
 * @throws the signal's reason.
 */
export async function takeSnapshot(
  db: Pick<Db, 'read'>,
  wanted: Wanted,
  { timeoutMs, maxBytes }: SnapshotLimits,
  signal?: AbortSignal,
): Promise<Snapshot | NoAnswer> {
  signal?.throwIfAborted()
  const deadline = { timeoutMs, problem: `a snapshot of the records takes longer than ${timeoutMs / secondMs} s` }
  await using opening = new AsyncDisposableStack()
  const sandbox = opening.use(new Sandbox())
  using _ = sandbox.stopAt(deadline, signal)
  const tables = snapshotTables.filter(({ resource }) => wanted.resources.has(resource))
  const filling = db.read((sql) => fill(sandbox, sql, { tables, tenantId: wanted.tenantId, maxBytes }))
  // If the server does not answer, it ends later.
  filling.catch(() => {})
  try {
    const bytes = await Promise.race([filling, sandbox.stopped])
    const indexes = tables.flatMap((table) => table.indexes)
    const reply = await sandbox.ask<{ readonly kind: 'taken' }>({ kind: 'end', indexes }, deadline, signal)
    if (reply.kind === 'failed') return reply
    opening.move()
    return { sandbox, bytes }
  } catch (error) {
    signal?.throwIfAborted()
    if (sandbox.problem !== null) return failed(sandbox.problem)
    if (reasonOf(error) !== 'store' || !(error instanceof Error)) throw error
    return { ...failed(`no snapshot of the records can be taken: ${error.message}`), isTransient: true }
  }
}

interface Filling {
  readonly tables: readonly SnapshotTable[]
  readonly tenantId: number
  readonly maxBytes: number
}

async function fill(sandbox: Sandbox, sql: Sql, { tables, tenantId, maxBytes }: Filling): Promise<number> {
  // Before a table is analyzed, each page would be found by sorting the tenant's records.
  await sql('set local enable_sort = off')
  // Tables of other resources stay empty.
  const creations = snapshotTables.map(({ create }) => create(tenantId))
  let bytes = await sandbox.send([{ kind: 'begin', database: snapshotFile, tables: creations }])
  for (const { name, resource, columns } of tables) {
    const record = recordTables[resource]
    const key = columnOf(record, record.key)
    const list = ['rid', ...columns.map((column) => `"${column}"`)]
    const page = `select ${key}, ${list.join(', ')} from "${name}"
      where tenant_id = ? and removed_at is null and ${key} > ? order by ${key} limit ${pageSize}`
    const insert = `insert into "${name}" (${list.join(', ')}) values (${list.map(() => '?').join(', ')})`
    bytes += await sandbox.send([{ kind: 'into', insert }])
    let rows: readonly [Stored, ...Stored[]][]
    let after: Stored = leastKey(record)
    do {
      rows = await sql<[Stored, ...Stored[]]>(page, [tenantId, after], 'arrays')
      bytes += await sandbox.send(rows.map(([, ...row]) => row))
      if (bytes > maxBytes) sandbox.stop(`the records take more than ${Math.round(maxBytes / 2 ** 20)} MiB`)
      after = rows.at(-1)?.[0] ?? null
    } while (rows.length === pageSize)
  }
  return bytes
}
