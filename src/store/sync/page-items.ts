import type { Sql } from '../db/db.ts'
import type { Fields, Incoming } from '../port.ts'
import type { RecordTable } from '../records/record-tables.ts'
import type { Known, RecordWriter } from '../records/record-writer.ts'
import { repeatRule } from '../records/repeats.ts'

export interface KnownItems {
  readonly items: readonly Incoming[]
  readonly keys: readonly (string | number | null)[]
  readonly contradictory: readonly string[]
  at(index: number): Known | undefined
}

export async function knownItems(
  tx: Sql,
  { table, find }: RecordWriter,
  tenantId: number,
  sent: readonly Incoming[],
): Promise<KnownItems> {
  const all = sent.map((item) => keyOf(item, table))
  const distinct = new Set(all.filter((key) => key !== null))
  const known = await find(tx, tenantId, [...distinct])
  const merged = all.length - all.filter((key) => key === null).length > distinct.size
  const { items, keys, contradictory } = merged
    ? mergeItems(table, sent, all)
    : { items: sent, keys: all, contradictory: [] }
  return {
    items,
    keys,
    contradictory,
    at(index) {
      const key = keys[index] ?? null
      return key === null ? undefined : known.get(key)
    },
  }
}

/** Keeps one item per key (docs/sync.md#same-id-twice). */
function mergeItems(table: RecordTable, sent: readonly Incoming[], all: readonly (string | number | null)[]) {
  const { settle } = repeatRule(table)
  const byKey = new Map<string | number, Incoming[]>()
  const unreadable = sent.filter((item, i) => {
    const key = all[i] ?? null
    if (key === null) return true
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, [item])
    else same.push(item)
    return false
  })
  const settled = [...byKey.values()].map((items) => settle(items))
  return {
    items: [...settled.map(({ item }) => item), ...unreadable],
    keys: [...byKey.keys(), ...unreadable.map(() => null)],
    contradictory: settled.flatMap(({ field }) => field ?? []),
  }
}

export function keyOf(item: Incoming, table: RecordTable): string | number | null {
  if (!item.ok) return item.id === null ? null : table.keyOf(item.id)
  return keyOfRecord(item.record, table)
}

export function keyOfRecord(record: Fields, { idField, keyOf: keyFrom }: RecordTable): string | number {
  return keyFrom(idField === null ? null : record[idField])
}
