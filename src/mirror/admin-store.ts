import { and, getTableColumns, getTableName, isNotNull, lt } from 'drizzle-orm'
import { transact } from './database.ts'
import { leaveCheckpoints } from './leave-checkpoints.ts'
import type { OpenedDatabase } from './open-database.ts'
import type { AdminStore } from './port.ts'
import { eraseRecord } from './record-retention.ts'
import { recordTables } from './record-tables.ts'
import { findings } from './schema/index.ts'
import { verifyFile } from './verify-file.ts'

type Part = Pick<AdminStore, 'isVerified' | 'ping' | 'purge' | 'verify'>

const singletons = Object.values(recordTables)
  .filter(({ idField }) => idField === null)
  .map(({ resource }) => resource)

/** The first change of each field of a tenant's one object stays: it tells the state that drift is measured from. */
const outdatedChanges = `delete from changes where at < ? and not (
  resource in (${singletons.map(() => '?').join(', ')})
  and id in (select min(id) from changes where resource in (${singletons.map(() => '?').join(', ')})
    group by tenant_id, resource, key, field))`

/** What was wrong with checks that nobody judges any more: it may quote a person or a file. */
const outdatedProblems = `delete from check_problems where not exists (select 1 from check_states s
  where s.tenant_id = check_problems.tenant_id and s."check" = check_problems."check" and s.evaluated_at >= ?)`

/** Retention and health of the database. */
export function adminStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { orm, raw } = database
  let { verified } = opened
  return {
    async purge(before) {
      transact(database, () => {
        raw.prepare(outdatedChanges).run(before, ...singletons, ...singletons)
        orm
          .delete(findings)
          .where(and(isNotNull(findings.resolvedAt), lt(findings.resolvedAt, before)))
          .run()
        eraseRecord(database, before)
        raw.exec('delete from waived_findings where fingerprint not in (select fingerprint from findings)')
        raw.prepare(outdatedProblems).run(before)
        for (const { table, personal } of Object.values(recordTables)) {
          const columns = personal.map((property) => getTableColumns(table)[property]?.name ?? property)
          if (columns.length === 0) continue
          const set = [...columns, 'extra'].map((column) => `"${column}" = null`).join(', ')
          const due = columns.map((column) => `"${column}" is not null`).join(' or ')
          raw.prepare(`update "${getTableName(table)}" set ${set} where removed_at < ? and (${due})`).run(before)
        }
      })
    },
    async ping() {
      raw.prepare('select 1').get()
      guard.insist()
    },
    isVerified: () => verified,
    async verify(signal = new AbortController().signal) {
      guard.insist()
      await leaveCheckpoints(raw, () => verifyFile(raw.name, signal))
      verified = true
    },
  }
}
