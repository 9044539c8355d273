import { changesOf, recordEventsText } from '../../support/events.ts'
import { worldResources } from '../world.ts'
import type { DatabaseServer } from './database-server.ts'

interface Kept {
  /** As the history has it; null where it has only changes of fields. */
  isLive: boolean | null
  readonly values: Map<string, string>
}

/**
 * Gaps in the history: a change that does not begin where the one before it ended, and records that are not as their
 * last changes left them.
 */
export async function lostHistory(server: DatabaseServer): Promise<readonly string[]> {
  const lost: string[] = []
  const records = new Map<string, Kept>()
  const rows = await server.query(recordEventsText)
  for (const { tenant, resource, key, kind, field, before, after } of changesOf(rows)) {
    const of = `${tenant} ${resource} ${key}`
    const kept = records.get(of) ?? { isLive: null, values: new Map<string, string>() }
    records.set(of, kept)
    if (field === null) {
      const isLive = kind !== 'removed'
      if (kept.isLive === isLive) lost.push(`${of} is ${kind} twice`)
      kept.isLive = isLive
      continue
    }
    const last = kept.values.get(String(field))
    // The first value that is read by id is no change of the tenant's.
    if (last !== undefined && last !== before && last !== 'null')
      lost.push(`${of}: ${field} changes from ${before}, but was ${last}`)
    kept.values.set(String(field), String(after))
  }
  const gone = await server.query(
    'select tenant_id, resource, key from records where removed_at is not null and body is not null',
  )
  for (const { tenant_id: tenant, resource, key } of gone) {
    const kept = records.get(`${tenant} ${resource} ${key}`)
    if (kept?.isLive !== false) lost.push(`${tenant} ${resource} ${key} was removed, which its history lacks`)
  }
  for (const { id: tenant } of await server.mirror.tenants()) {
    for (const resource of worldResources) {
      for await (const batch of server.mirror.records(tenant).select(resource)) {
        for (const { key, fields } of batch) lost.push(...gapsOf(`${tenant} ${resource} ${key}`, fields, records))
      }
    }
  }
  return lost
}

/** What the first full sync shows begins without history. */
function* gapsOf(of: string, fields: Readonly<Record<string, unknown>>, records: ReadonlyMap<string, Kept>) {
  const kept = records.get(of)
  if (kept?.isLive === false) yield `${of} is live, but its history ends with its removal`
  for (const [field, last] of kept?.values ?? []) {
    const value = JSON.stringify(fields[field])
    // The role of a new name is not known yet.
    if (field === 'roleId' && value === 'null') continue
    if (value !== undefined && value !== last && last !== 'null')
      yield `${of}: ${field} is ${value}, but became ${last}`
  }
}
