import { type AnyRecord, type InvalidReading, idOf, type Reading, type ValidReading } from '../../model/reading.ts'
import { isoMs } from '../../model/time.ts'
import { differingFields } from './record-body.ts'
import type { RecordShape } from './record-shape.ts'

/** Which of two records with the same id counts, or the field in which they contradict each other. */
export type Precedence = 'first' | 'second' | { readonly field: string }

/** Decides between two records with the same id in one pass (docs/internals/sync.md#15-record). */
export function precedenceOf(shape: RecordShape, first: AnyRecord, second: AnyRecord): Precedence {
  const [earlier, later] = [versionOf(shape, first), versionOf(shape, second)]
  if (earlier !== later) return later > earlier ? 'second' : 'first'
  const field = differingFields(shape, first, second).find((name) => !shape.unread.has(name))
  return field === undefined ? 'first' : { field }
}

/** True if the version after a change is older than the one before it. */
export function isEarlier(shape: RecordShape, { before, after }: { before: AnyRecord; after: AnyRecord }): boolean {
  return versionOf(shape, after) < versionOf(shape, before)
}

function versionOf({ updatedAfter }: RecordShape, record: AnyRecord): number {
  return updatedAfter === null ? 0 : (isoMs(record[updatedAfter.updated]) ?? -Infinity)
}

/** Begins the problem of such a record. */
export const contradictory = 'contradictory'

export function contradictionOf(
  id: string | number | null,
  field: string,
  records: readonly AnyRecord[],
): InvalidReading {
  return { ok: false, id, raw: records, problem: `${contradictory}: ${field} differs between records with this id` }
}

export interface DistinctItems {
  readonly items: ReadonlyMap<string, Reading>
  /** Records without a readable id. */
  readonly unidentified: readonly InvalidReading[]
  /** Fields in which records with the same id contradict each other. */
  readonly contradicted: readonly string[]
}

/** One item for each key of a page. */
export function distinctItems(shape: RecordShape, sent: readonly Reading[]): DistinctItems {
  const items = new Map<string, Reading>()
  const unidentified: InvalidReading[] = []
  const contradicted: string[] = []
  for (const item of sent) {
    const id = idOf(item, shape.idField)
    if (!item.ok && id === null) {
      unidentified.push(item)
      continue
    }
    const key = shape.keyOf(id)
    const first = items.get(key)
    if (first === undefined || (first.ok && !item.ok)) items.set(key, item)
    else if (first.ok && item.ok) {
      const precedence = precedenceOf(shape, first.record, item.record)
      if (precedence === 'second') items.set(key, item)
      else if (precedence !== 'first') {
        contradicted.push(precedence.field)
        items.set(key, contradictionOf(id, precedence.field, [whole(first), whole(item)]))
      }
    }
  }
  return { items, unidentified, contradicted }
}

export function whole({ record, extra }: ValidReading): AnyRecord {
  return { ...record, ...extra }
}
