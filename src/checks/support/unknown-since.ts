import type { ChangeRow, MirrorRecord, RecordReader } from '../../mirror/query.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { timeOf } from './records.ts'

export interface WithoutStatus {
  readonly document: MirrorRecord
  /** Since when, in milliseconds since the epoch, no `uploadStatus` of it was a known one. */
  readonly since: number
}

/** Adds to documents whose status is not known since when that is so: one unknown status may have followed another. */
export async function* withUnknownSince(
  reader: RecordReader,
  batches: AsyncIterable<readonly MirrorRecord[]>,
  known: readonly string[],
): AsyncIterable<readonly WithoutStatus[]> {
  for await (const batch of batches) {
    // A status that is as old as the mirror's knowledge of the document never changed.
    const changed = batch.filter((document) => timeOf(document, 'statusSince') > document.firstSeenAt)
    const changes = changed.length === 0 ? [] : await reader.history('documents', ...changed.map(({ key }) => key))
    const byKey = Map.groupBy(changes, ({ key }) => key)
    yield batch.map((document) => ({ document, since: unknownSince(document, byKey.get(document.key) ?? [], known) }))
  }
}

function unknownSince(document: MirrorRecord, changes: readonly ChangeRow[], known: readonly unknown[]): number {
  const ofStatus = changes.filter(({ field }) => field === 'uploadStatus')
  if (ofStatus.length === 0) return timeOf(document, 'statusSince')
  const began = ofStatus.findLast(({ before }) => known.includes(before))?.at ?? firstMirrored(document, changes)
  return Math.min(began, timeOf(document, 'statusSince'))
}

/** `updatedAt ?? createdAt` as they were when the document was first mirrored, but no time after that. */
function firstMirrored({ fields, firstSeenAt }: MirrorRecord, changes: readonly ChangeRow[]): number {
  const atFirst = (name: string) => {
    const change = changes.find(({ field }) => field === name)
    return parseIsoDate(change === undefined ? fields[name] : change.before)?.ms
  }
  return Math.min(atFirst('updatedAt') ?? atFirst('createdAt') ?? firstSeenAt, firstSeenAt)
}
