import type { ResourceName } from '../../model/resource-names.ts'
import { type FieldChanges, listOfKinds, type RecordKind, recordKinds } from '../event-store.ts'
import type { ChangeRow } from '../records/query.ts'
import { fromJson } from '../words.ts'

export interface StoredRecordEvent {
  readonly id: number
  readonly at: number
  readonly kind: RecordKind
  readonly subject: string
  readonly data: string
  readonly requestId: string | null
}

/** Events of records that are not erased. */
export const ofRecords = `kind in (${listOfKinds(recordKinds)}) and data is not null`

export const recordEventColumns = (events: string) =>
  ['id', 'at', 'kind', 'subject', 'data', 'request_id as "requestId"'].map((column) => `${events}.${column}`).join(', ')

/** A row for the record as a whole, unless it only changed, and for each changed field; they have the id of the event. */
export function changesIn({ id, at, kind, subject, data, requestId }: StoredRecordEvent): readonly ChangeRow[] {
  const slash = subject.indexOf('/')
  const resource = subject.slice(0, slash) as ResourceName
  const of = { id, resource, key: subject.slice(slash + 1), at, requestId }
  const fields = Object.entries(fromJson(data) as FieldChanges).map(([field, [before, after]]): ChangeRow => {
    return { ...of, kind: 'changed', field, before, after }
  })
  if (kind === 'record.changed') return fields
  const whole = kind.slice('record.'.length) as ChangeRow['kind']
  return [{ ...of, kind: whole, field: null, before: null, after: null }, ...fields]
}
