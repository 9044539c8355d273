import { parseIsoDate } from '../../model/dates.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from '../../store/records/query.ts'
import { mapBatches, timeOf } from './records.ts'
import { isDoneByMirror } from './statuses.ts'

export interface WithSince {
  readonly document: MirrorRecord
  /** When the document left its last completed status, in milliseconds since the epoch. */
  readonly since: number
}

/** Adds `since` to documents from `statusSince` of the mirror. */
export function sinceByMirror(batches: AsyncIterable<readonly MirrorRecord[]>): AsyncIterable<readonly WithSince[]> {
  return mapBatches(batches, (document) => ({ document, since: timeOf(document, 'statusSince') }))
}

/** Adds `since` from each document's history, too. Covers other completed statuses, and records of earlier versions. */
export async function* sinceByHistory(
  reader: RecordReader,
  batches: AsyncIterable<readonly MirrorRecord[]>,
  done: readonly (string | null)[],
  now: number,
): AsyncIterable<readonly WithSince[]> {
  const isMirrored = isDoneByMirror(done)
  for await (const batch of batches) {
    // With default statuses, a `statusSince` up to `firstSeenAt` has never changed, so the history adds nothing.
    const changed = batch.filter((document) => !isMirrored || timeOf(document, 'statusSince') > document.firstSeenAt)
    const changes = changed.length === 0 ? [] : await reader.history('documents', ...changed.map(({ key }) => key))
    const byKey = Map.groupBy(changes, ({ key }) => key)
    yield batch.map((document) => {
      const mirrored = timeOf(document, 'statusSince')
      const recorded = completedSince(document, byKey.get(document.key) ?? [], done)
      if (recorded === null) return { document, since: mirrored }
      // A time in the future was recorded while the clock was wrong.
      return { document, since: isMirrored || recorded > now ? Math.min(recorded, mirrored) : recorded }
    })
  }
}

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

/** `updatedAt ?? createdAt` when the document was first mirrored, at most `firstSeenAt`. */
function firstMirrored({ fields, firstSeenAt }: MirrorRecord, changes: readonly ChangeRow[]): number {
  const atFirst = (name: string) => {
    const change = changes.find(({ field }) => field === name)
    return parseIsoDate(change === undefined ? fields[name] : change.before)?.ms
  }
  return Math.min(atFirst('updatedAt') ?? atFirst('createdAt') ?? firstSeenAt, firstSeenAt)
}
