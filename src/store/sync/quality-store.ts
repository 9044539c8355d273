import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { FindingStore } from '../port.ts'
import { recordShapes } from '../records/record-shape.ts'
import { stateRows, toSyncState } from './sync-states.ts'

type Part = Pick<FindingStore, 'quality' | 'isLive' | 'isTombstone' | 'isUncertain'>

interface Counted {
  readonly resource: string
  readonly count: number
}

const countBy = (condition: string) =>
  `select resource, count(*) as count from records where tenant_id = ? and ${condition} group by resource`

const found = (condition: string) =>
  `select 1 from records where tenant_id = ? and resource = ? and key = ? and ${condition}`

export function qualityStore(database: Database): Part {
  const is = (condition: string) => (tenantId: number, resource: ResourceName, key: string) =>
    database.read(async (sql) => {
      return (await sql(found(condition), [tenantId, resource, recordShapes[resource].keyOf(key)])).length > 0
    })
  return {
    quality: (tenantId) =>
      database.read(async (sql) => {
        const states = await stateRows(sql, tenantId)
        const quarantined = await sql<Counted>(countBy('problem is not null'), [tenantId])
        const missing = await sql<Counted>(countBy('missing_since is not null'), [tenantId])
        const countOf = (counts: readonly Counted[], name: string) =>
          counts.find(({ resource }) => resource === name)?.count ?? 0
        return resourceNames.map((resource) => {
          const row = states.find((one) => one.resource === resource)
          return {
            state: toSyncState(resource, row),
            live: row?.live ?? 0,
            quarantined: countOf(quarantined, resource),
            missing: countOf(missing, resource),
          }
        })
      }),
    isLive: is('removed_at is null and body is not null'),
    isTombstone: is('removed_at is not null'),
    isUncertain: is('removed_at is null and (missing_since is not null or absent > 0 or problem is not null)'),
  }
}
