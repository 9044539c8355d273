import { type NewEvent, recordEvent } from '../event-store.ts'
import { decode } from './record-codec.ts'
import type { RecordTable, Stored } from './record-tables.ts'
import type { Written } from './record-writer.ts'

/** The event of a change or return of a record; none if only values changed that are no history. */
export function changeEvents(
  table: RecordTable,
  key: string | number,
  { kind, before, after, fields }: Written,
  stamp: Pick<NewEvent, 'at' | 'requestId'>,
): readonly NewEvent[] {
  const changed: Record<string, readonly [unknown, unknown]> = {}
  for (const field of fields) {
    if (table.isHistory?.(field, before) === false) continue
    const decoded = (value: Stored | undefined) => decode(table.fields[field] ?? 'json', value ?? null)
    changed[field] = [decoded(before[field]), decoded(after[field])]
  }
  if (kind !== 'returned' && Object.keys(changed).length === 0) return []
  const { at, requestId = null } = stamp
  const of = { resource: table.resource, key, fields: changed }
  return [recordEvent({ ...of, kind: kind === 'returned' ? 'record.returned' : 'record.changed' }, { at, requestId })]
}
