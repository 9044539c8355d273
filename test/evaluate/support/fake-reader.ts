import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { ChangeRow, MirrorRecord, RecordReader, Where } from '../../../src/store/records/query.ts'
import { fieldOf, matches } from './matches.ts'

export interface FakeRecords {
  readonly live: (resource: ResourceName) => readonly MirrorRecord[]
  readonly changes: readonly ChangeRow[]
}

/** The reading port over records in memory, in batches of two so that batches matter. */
export function fakeReader({ live, changes }: FakeRecords): RecordReader {
  async function* select(resource: ResourceName, where?: Where): AsyncGenerator<readonly MirrorRecord[]> {
    const found = live(resource).filter((record) => matches(record, where))
    for (let at = 0; at < found.length; at += 2) yield found.slice(at, at + 2)
  }
  return {
    select: select as RecordReader['select'],
    records: async (resource, keys) => live(resource).filter(({ key }) => keys.includes(key)) as never,
    keys: async (resource) => live(resource).map(({ key }) => key),
    async count(resource, where) {
      return live(resource).filter((record) => matches(record, where)).length
    },
    async countBy(resource, fields, where) {
      const groups = Map.groupBy(
        live(resource).filter((record) => matches(record, where)),
        (record) => JSON.stringify(fields.map((field) => fieldOf(record, field))),
      )
      return [...groups].map(([values, { length }]) => ({ values: JSON.parse(values), count: length }))
    },
    async duplicates(resource, field) {
      const named = live(resource).filter((record) => fieldOf(record, field) !== null)
      const groups = [...Map.groupBy(named, (record) => String(fieldOf(record, field)))]
      const doubled = groups.filter(([, { length }]) => length > 1)
      return doubled
        .map(([value, { length }]) => ({ value, count: length }))
        .sort((a, b) => (a.value < b.value ? -1 : 1))
    },
    async hasRepeats(resource, field) {
      const texts = live(resource).flatMap((record) => String(fieldOf(record, field) ?? '').toLowerCase() || [])
      return new Set(texts).size < texts.length
    },
    async history(resource, ...keys) {
      return changes.filter((change) => change.resource === resource && keys.includes(change.key))
    },
  }
}
