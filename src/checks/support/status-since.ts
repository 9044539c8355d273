import type { ChangeRow, MirrorRecord, RecordReader } from '../../mirror/query.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { timeOf } from './records.ts'

export interface WithStatusSince {
  readonly document: MirrorRecord
  /** Since when, in milliseconds since the epoch, every `uploadStatus` of it was one of those asked for. */
  readonly since: number
}

/**
 * Adds to documents with a certain kind of status since when they have one of that kind: one may have followed another.
 *
 * @param isOfKind tells whether a status is of that kind.
 */
export async function* withStatusSince(
  reader: RecordReader,
  batches: AsyncIterable<readonly MirrorRecord[]>,
  isOfKind: (status: unknown) => boolean,
): AsyncIterable<readonly WithStatusSince[]> {
  for await (const batch of batches) {
    // A status that is as old as the mirror's knowledge of the document never changed.
    const changed = batch.filter((document) => timeOf(document, 'statusSince') > document.firstSeenAt)
    const changes = changed.length === 0 ? [] : await reader.history('documents', ...changed.map(({ key }) => key))
    const byKey = Map.groupBy(changes, ({ key }) => key)
    yield batch.map((document) => ({ document, since: sinceOf(document, byKey.get(document.key) ?? [], isOfKind) }))
  }
}

function sinceOf(
  document: MirrorRecord,
  changes: readonly ChangeRow[],
  isOfKind: (status: unknown) => boolean,
): number {
  const ofStatus = changes.filter(({ field }) => field === 'uploadStatus')
  if (ofStatus.length === 0) return timeOf(document, 'statusSince')
  const began = ofStatus.findLast(({ before }) => !isOfKind(before))?.at ?? firstMirrored(document, changes)
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
