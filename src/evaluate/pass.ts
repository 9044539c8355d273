import type { ResourceName } from '../model/resource-names.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from '../store/records/query.ts'
import type { CheckTally } from './check-tally.ts'
import type { RecordTally } from './record-tally.ts'

export interface Pass {
  readonly tallies: readonly CheckTally[]
  /** Null if the records were counted since their last change. */
  readonly counting: RecordTally | null
  readonly signal?: AbortSignal | undefined
}

/** Reads the live records of a resource once, in key order and slices, for all its checks. */
export async function readPass(
  reader: RecordReader,
  resource: ResourceName,
  { tallies, counting, signal }: Pass,
): Promise<void> {
  for await (const slice of reader.select(resource)) {
    signal?.throwIfAborted()
    if (counting !== null) for (const record of slice) counting.add(record)
    const keys = new Set(tallies.flatMap((tally) => tally.readingHistory(slice)))
    const histories = keys.size === 0 ? noHistories : historiesOf(await reader.history(resource, ...keys))
    for (const tally of tallies) tally.addSlice(slice, histories)
  }
  for (const tally of tallies) tally.addEnd()
}

const noHistories: ReadonlyMap<string, readonly ChangeRow[]> = new Map()

function historiesOf(changes: readonly ChangeRow[]): ReadonlyMap<MirrorRecord['key'], readonly ChangeRow[]> {
  return Map.groupBy(changes, ({ key }) => key)
}
