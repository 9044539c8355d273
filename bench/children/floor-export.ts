import { closeSync, openSync, writeSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { peakMiB } from '../support/measure.ts'
import type { ExportFloorTask, Report } from '../support/reports.ts'

/** The least that writing all live users as lines of JSON can cost. */
const task = JSON.parse(process.argv[2] ?? '') as ExportFloorTask
const chunk = 64 * 1024

const sql = `select user_id, first_name, last_name, email, state, mfa_status, mfa_action, role_id, role_name, created_at
  from users where removed_at is null order by tenant_id, user_id`
type Row = readonly [number, string, string, string, string, number, number, number | null, string, string]

function exportAll(): number {
  const raw = new BetterSqlite3(task.store, { readonly: true })
  const file = openSync(task.output, 'w')
  let text = ''
  let count = 0
  for (const row of raw.prepare(sql).raw().iterate() as Iterable<Row>) {
    const [userId, firstName, lastName, email, state, mfaStatus, mfaAction, roleId, roleName, createdAt] = row
    const flags = { mfaStatus: mfaStatus === 1, mfaAction: mfaAction === 1 }
    const user = { userId, firstName, lastName, email, state, ...flags, roleId, roleName, createdAt }
    text += `${JSON.stringify(user)}\n`
    count++
    if (text.length < chunk) continue
    writeSync(file, text)
    text = ''
  }
  writeSync(file, text)
  closeSync(file)
  raw.close()
  return count
}

const lines = exportAll()
// From the start of the process, as the probe beside the product's command counts.
const { user, system } = process.cpuUsage()
const cost = { wallMs: performance.now(), cpuMs: (user + system) / 1000 }
process.send?.({ ...cost, peakMiB: peakMiB(), facts: { lines } } satisfies Report)
process.disconnect?.()
