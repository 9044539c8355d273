import type { WaiverStore } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'

type Part = Operations<Pick<WaiverStore, 'acceptedStates' | 'keepFirstStates' | 'acceptState' | 'acceptedVersion'>>

interface Stored {
  readonly entityId: string
  readonly state: string
  readonly at: number
  readonly reason: string | null
}

/** Entity id of the row that marks the first states of a check as stored. */
const whole = ''

/** States that drift is measured from: all are kept, the last of an entity counts. */
export function acceptedStateStore(database: Database): Part {
  const { raw } = database
  const last = raw.prepare<[number, string], Stored>(
    `select entity_id as entityId, state, at, reason from accepted_states where id in
       (select max(id) from accepted_states where tenant_id = ? and "check" = ? group by entity_id) order by id`,
  )
  const isKept = raw.prepare<[number, string]>(
    `select 1 from accepted_states where tenant_id = ? and "check" = ? and entity_id = '${whole}' limit 1`,
  )
  const put = raw.prepare(
    'insert into accepted_states (tenant_id, "check", entity_id, state, at, reason) values (?, ?, ?, ?, ?, ?)',
  )
  const version = raw
    .prepare<[number, string], number | null>('select max(id) from accepted_states where tenant_id = ? and "check" = ?')
    .pluck()
  return {
    acceptedStates: (tenantId, check) =>
      database.run(() => {
        const rows = last.all(tenantId, check).filter(({ entityId }) => entityId !== whole)
        if (rows.length === 0 && isKept.get(tenantId, check) === undefined) return null
        return rows.map((row) => ({ ...row, state: JSON.parse(row.state) as unknown }))
      }),
    keepFirstStates: (tenantId, check, states, at) =>
      database.write('nothing', () => {
        if (isKept.get(tenantId, check) !== undefined) return
        for (const { entityId, state } of [...states, { entityId: whole, state: null }])
          put.run(tenantId, check, entityId, JSON.stringify(state), at, null)
      }),
    acceptState: (tenantId, check, { entityId, state, at, reason }) =>
      database.write('nothing', () => void put.run(tenantId, check, entityId, JSON.stringify(state), at, reason)),
    acceptedVersion: (tenantId, check) => version.get(tenantId, check) ?? 0,
  }
}
