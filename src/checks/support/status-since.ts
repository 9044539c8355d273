import type { ChangeRow, MirrorRecord, RecordReader } from '../../mirror/records/query.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { mapBatches, timeOf } from './records.ts'
import { isDoneByMirror } from './statuses.ts'

export interface WithSince {
  readonly document: MirrorRecord
  /** Since when, in milliseconds since the epoch, it has not been done. */
  readonly since: number
}

/** Adds to documents that are not done since when they are not, by the mirror's own time alone. */
export function sinceByMirror(batches: AsyncIterable<readonly MirrorRecord[]>): AsyncIterable<readonly WithSince[]> {
  return mapBatches(batches, (document) => ({ document, since: timeOf(document, 'statusSince') }))
}

/**
 * The same by the history of each document, too: it tells of other statuses that mean done, and of what an earlier version
 * mirrored.
 */
export async function* sinceByHistory(
  reader: RecordReader,
  batches: AsyncIterable<readonly MirrorRecord[]>,
  done: readonly (string | null)[],
  now: number,
): AsyncIterable<readonly WithSince[]> {
  const isMirrored = isDoneByMirror(done)
  for await (const batch of batches) {
    // Where the mirror knows what is done, a time as old as its knowledge of the document never moved.
    const asked = batch.filter((document) => !isMirrored || timeOf(document, 'statusSince') > document.firstSeenAt)
    const changes = asked.length === 0 ? [] : await reader.history('documents', ...asked.map(({ key }) => key))
    const byKey = Map.groupBy(changes, ({ key }) => key)
    yield batch.map((document) => {
      const mirrored = timeOf(document, 'statusSince')
      const told = completedSince(document, byKey.get(document.key) ?? [], done)
      if (told === null) return { document, since: mirrored }
      // A time that is still to come is of a clock that was wrong.
      return { document, since: isMirrored || told > now ? Math.min(told, mirrored) : told }
    })
  }
}

/** Null where nothing is told of its status. */
function completedSince(
  document: MirrorRecord,
  changes: readonly ChangeRow[],
  done: readonly (string | null)[],
): number | null {
  const ofStatus = changes.filter(({ field }) => field === 'uploadStatus')
  if (ofStatus.length === 0) return null
  const left = ofStatus.findLast(({ before }) => done.some((status) => status === before))
  return left?.at ?? firstMirrored(document, changes)
}

/** `updatedAt ?? createdAt` as they were when the document was first mirrored, but no time after that. */
function firstMirrored({ fields, firstSeenAt }: MirrorRecord, changes: readonly ChangeRow[]): number {
  const atFirst = (name: string) => {
    const change = changes.find(({ field }) => field === name)
    return parseIsoDate(change === undefined ? fields[name] : change.before)?.ms
  }
  return Math.min(atFirst('updatedAt') ?? atFirst('createdAt') ?? firstSeenAt, firstSeenAt)
}
