import type { ResourceName } from '../model/resource-names.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from '../store/records/query.ts'
import type { Evaluator } from './check.ts'
import type { CheckTally } from './check-tally.ts'
import type { RecordTally } from './record-tally.ts'

/** A check in a pass. */
export class PassingCheck {
  readonly evaluator: Evaluator
  readonly tally: CheckTally
  /** Why the check failed at a record; null while it did not. */
  error: unknown = null

  constructor(evaluator: Evaluator, tally: CheckTally) {
    this.evaluator = evaluator
    this.tally = tally
  }

  /** Runs a part of the check; an error ends this check only. */
  run(part: () => void): void {
    if (this.error !== null) return
    try {
      part()
    } catch (error) {
      this.error = error ?? new TypeError('The check threw nothing')
    }
  }
}

export interface Pass {
  readonly reader: RecordReader
  readonly resource: ResourceName
  readonly checks: readonly PassingCheck[]
  /** Null if the records were counted since their last change. */
  readonly counts: RecordTally | null
  readonly signal?: AbortSignal | undefined
}

/** Reads the live records of a resource once, in key order and slices, for all its checks. */
export async function readPass({ reader, resource, checks, counts, signal }: Pass): Promise<void> {
  for await (const slice of reader.select(resource)) {
    signal?.throwIfAborted()
    if (counts !== null) for (const record of slice) counts.add(record)
    const histories = await historiesOf(reader, resource, wantedHistories(slice, checks))
    for (const one of checks) {
      const { evaluator, tally } = one
      one.run(() => {
        for (const record of slice) {
          const isRead = histories.size > 0 && evaluator.readsHistoryOf?.(record) === true
          tally.addRecord(evaluator, record, isRead ? (histories.get(record.key) ?? noHistory) : noHistory)
        }
      })
    }
  }
  for (const one of checks) one.run(() => one.tally.addEnd(one.evaluator))
}

const noHistory: readonly ChangeRow[] = []

function wantedHistories(slice: readonly MirrorRecord[], checks: readonly PassingCheck[]): readonly string[] {
  const wanted = new Set<string>()
  for (const one of checks) {
    const { evaluator } = one
    if (evaluator.readsHistoryOf === undefined) continue
    one.run(() => {
      for (const record of slice) if (evaluator.readsHistoryOf?.(record) === true) wanted.add(record.key)
    })
  }
  return [...wanted]
}

async function historiesOf(
  reader: RecordReader,
  resource: ResourceName,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly ChangeRow[]>> {
  if (keys.length === 0) return new Map()
  return Map.groupBy(await reader.history(resource, ...keys), ({ key }) => key)
}
