import { isoMs } from '../../model/dates.ts'
import type { Fields, Incoming } from '../port.ts'
import { differingFields } from './record-body.ts'
import type { RecordShape } from './record-shape.ts'

type Valid = Incoming & { readonly ok: true }
type Invalid = Incoming & { readonly ok: false }

/** Which of two records with the same id counts, or the field in which they contradict each other. */
export type Precedence = 'first' | 'second' | { readonly field: string }

/** Decides between two records with the same id in one pass (docs/sync.md#same-id-twice). */
export function precedenceOf(shape: RecordShape, first: Fields, second: Fields): Precedence {
  const [earlier, later] = [timeOf(shape, first), timeOf(shape, second)]
  if (earlier !== later) return later > earlier ? 'second' : 'first'
  const field = differingFields(shape, first, second).find((name) => name !== 'extra' && !shape.unread.has(name))
  return field === undefined ? 'first' : { field }
}

function timeOf({ laterWins }: RecordShape, record: Fields): number {
  return laterWins === null ? 0 : (isoMs(record[laterWins]) ?? Number.NEGATIVE_INFINITY)
}

export const contradictory = 'contradictory'

export function contradictionOf(id: string | number | null, field: string, records: readonly Fields[]): Invalid {
  return { ok: false, id, raw: records, problem: `${contradictory}: ${field} differs between records with this id` }
}

export interface DistinctItems {
  readonly items: ReadonlyMap<string, Incoming>
  /** Records without a readable id. */
  readonly unidentified: readonly Invalid[]
  /** Fields in which records with the same id contradict each other. */
  readonly contradicted: readonly string[]
}

/** One item for each key of a page. */
export function distinctItems(shape: RecordShape, sent: readonly Incoming[]): DistinctItems {
  const items = new Map<string, Incoming>()
  const unidentified: Invalid[] = []
  const contradicted: string[] = []
  for (const item of sent) {
    if (!item.ok && item.id === null) {
      unidentified.push(item)
      continue
    }
    const key = keyOfItem(shape, item)
    const first = items.get(key)
    if (first === undefined || (first.ok && !item.ok)) items.set(key, item)
    else if (first.ok && item.ok) {
      const precedence = precedenceOf(shape, first.record, item.record)
      if (precedence === 'second') items.set(key, item)
      else if (precedence !== 'first') {
        contradicted.push(precedence.field)
        items.set(key, contradictionOf(idOf(shape, item), precedence.field, [whole(first), whole(item)]))
      }
    }
  }
  return { items, unidentified, contradicted }
}

export function keyOfItem(shape: RecordShape, item: Incoming): string {
  return shape.keyOf(item.ok ? idOf(shape, item) : item.id)
}

function idOf({ idField }: RecordShape, { record }: Valid): string | number | null {
  return idField === null ? null : (record[idField] as string | number)
}

export function whole({ record, extra }: Valid): Fields {
  return { ...record, ...extra }
}
