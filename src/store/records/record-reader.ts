import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Db } from '../db/db.ts'
import { recordSubject, recordSubjects } from '../event-store.ts'
import { changesIn, ofRecords, type StoredRecordEvent } from '../history/changes.ts'
import { columnList, fromJson } from '../rows.ts'
import { events } from '../schema/index.ts'
import type { MirrorRecord, RecordReader } from './query.ts'
import { mirrorRecordOf, type RecordRow, recordColumns } from './record-body.ts'
import { recordShapes } from './record-shape.ts'

/** Records read in one turn of the event loop. */
const sliceSize = 200

/** Live records of a tenant. */
export function recordReader(db: Db, tenantId: number): RecordReader {
  async function* select(resource: ResourceName): AsyncGenerator<readonly MirrorRecord[]> {
    const shape = recordShapes[resource]
    for (let after = ''; ; ) {
      const params = [{ tenantId, resource, after }]
      const rows = await db.read((sql) => sql<RecordRow>(nextSlice, params, 'arrays'))
      if (rows.length === 0) return
      yield rows.map((row) => mirrorRecordOf(shape, row))
      if (rows.length < sliceSize) return
      after = rows.at(-1)?.[0] ?? ''
      await yieldToEventLoop()
    }
  }

  const bodies = db.dialect.recordsByKeys('key, body', 'body is not null')
  return {
    select,
    async byKeys(resource: ResourceName, keys: readonly string[]) {
      const shape = recordShapes[resource]
      const params = [{ tenantId, resource, keys: keys.map(shape.keyOf) }]
      const rows = await db.read((sql) =>
        sql<RecordRow>(db.dialect.recordsByKeys(recordColumns, isLive), params, 'arrays'),
      )
      return rows.map((row) => mirrorRecordOf(shape, row))
    },
    keys: (resource: ResourceName) => db.read((sql) => sql<string>(liveKeys, [{ tenantId, resource }], 'values')),
    history: (resource: ResourceName, ...keys: readonly string[]) =>
      db.read(async (sql) => {
        const text = `select ${columnList(events)} from events
          where tenant_id = ? and ${ofRecords} and ${db.dialect.isIn('subject')} order by +id`
        const subjects = keys.map((key) => recordSubject(resource, key))
        const rows = await sql<StoredRecordEvent>(text, [tenantId, subjects])
        return rows.flatMap(changesIn)
      }),
    changesSince: (resource: ResourceName, since: number) =>
      db.read(async (sql) => {
        const text = `select ${columnList(events)} from events
          where tenant_id = ? and ${ofRecords} and subject between ? and ? and at >= ? order by +id`
        const rows = await sql<StoredRecordEvent>(text, [tenantId, ...recordSubjects(resource), since])
        const changes = rows.flatMap(changesIn)
        const keys = changes.filter(({ kind }) => kind === 'removed').map(({ key }) => key)
        const last = new Map(await sql<[string, string]>(bodies, [{ tenantId, resource, keys }], 'arrays'))
        return changes.map((change) => {
          return change.kind === 'removed' ? { ...change, before: fromJson(last.get(change.key) ?? 'null') } : change
        })
      }),
  }
}

/** Condition on a row of `records`: a record with a valid version that was not removed. */
export const isLive = 'removed_at is null and body is not null'

const nextSlice = `select ${recordColumns} from records
  where tenant_id = @tenantId and resource = @resource and key > @after and ${isLive} order by key limit ${sliceSize}`

const liveKeys = `select key from records where tenant_id = @tenantId and resource = @resource and ${isLive} order by key`
