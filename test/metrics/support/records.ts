import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { MirrorRecord, RecordReader } from '../../../src/store/records/query.ts'

export type Records = Readonly<Partial<Record<ResourceName, readonly MirrorRecord[]>>>

export function record(key: string, fields: Record<string, unknown>, times: Record<string, number> = {}): MirrorRecord {
  return { key, fields, times, extra: null, firstSeenAt: 0, readAt: 0, requestId: null, absent: false }
}

/** A reader of records in memory: what the gauges ask of it, and a refusal of the rest. */
export function readerOf(records: Records): RecordReader {
  const refuse = () => Promise.reject(new Error('Not asked by gauges'))
  async function* select(resource: ResourceName): AsyncGenerator<readonly MirrorRecord[]> {
    const all = records[resource] ?? []
    for (let i = 0; i < all.length; i += 2) yield all.slice(i, i + 2)
  }
  return {
    select: select as RecordReader['select'],
    async countBy(resource, fields) {
      const groups = new Map<string, { values: (string | number | boolean | null)[]; count: number }>()
      for (const { fields: present } of records[resource] ?? []) {
        const values = fields.map((field) => present[field] as string | number | boolean | null)
        const key = JSON.stringify(values)
        const group = groups.get(key) ?? { values, count: 0 }
        group.count += 1
        groups.set(key, group)
      }
      return [...groups.values()]
    },
    records: refuse,
    keys: refuse,
    count: refuse,
    duplicates: refuse,
    hasRepeats: refuse,
    history: refuse,
  }
}
