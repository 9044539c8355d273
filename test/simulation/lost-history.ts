import { seenChanges } from '../support/events.ts'
import type { Machine } from './machine.ts'
import { worldResources } from './world.ts'

interface Recorded {
  /** As the history has it; null where it has only changes of fields. */
  isLive: boolean | null
  readonly values: Map<string, string>
}

/**
 * Gaps in the history: a change that does not begin where the one before it ended, and records that are not as their
 * last changes left them. What the first full sync shows begins without history. Nothing is judged after an erasure.
 */
export async function lostHistory({ mirror, tenantId, query }: Machine): Promise<readonly string[]> {
  if (query("select 1 from events where kind = 'history.erased'").length > 0) return []
  const lost: string[] = []
  const records = new Map<string, Recorded>()
  for (const { resource, key, kind, field, before, after } of seenChanges(query)) {
    const of = `${resource} ${key}`
    const recorded = records.get(of) ?? { isLive: null, values: new Map<string, string>() }
    records.set(of, recorded)
    if (field === null) {
      const isLive = kind !== 'removed'
      if (recorded.isLive === isLive) lost.push(`${of} is ${kind} twice`)
      recorded.isLive = isLive
      continue
    }
    const last = recorded.values.get(field)
    // The first value that is read by id is no change of the tenant's.
    if (last !== undefined && last !== before && last !== 'null')
      lost.push(`${of}: ${field} changes from ${before}, but was ${last}`)
    recorded.values.set(field, String(after))
  }
  for (const { of } of query(
    "select resource || ' ' || key as of from records where removed_at is not null and body is not null",
  )) {
    if (records.get(String(of))?.isLive !== false) lost.push(`${of} was removed, which its history lacks`)
  }
  for (const resource of worldResources) {
    for await (const batch of mirror.records(tenantId).select(resource)) {
      for (const { key, fields } of batch) lost.push(...gapsOf(`${resource} ${key}`, fields, records))
    }
  }
  return lost
}

function* gapsOf(of: string, fields: Readonly<Record<string, unknown>>, records: ReadonlyMap<string, Recorded>) {
  const recorded = records.get(of)
  if (recorded?.isLive === false) yield `${of} is live, but its history ends with its removal`
  for (const [field, last] of recorded?.values ?? []) {
    const value = JSON.stringify(fields[field])
    // The role of a new name is not known yet.
    if (field === 'roleId' && value === 'null') continue
    if (value !== undefined && value !== last && last !== 'null')
      yield `${of}: ${field} is ${value}, but became ${last}`
  }
}
