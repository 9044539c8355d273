import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from '../../../src/store/records/query.ts'

export interface FakeRecords {
  readonly live: (resource: ResourceName) => readonly MirrorRecord[]
  readonly changes: readonly ChangeRow[]
}

/** The reading port over records in memory, in batches of two so that batches matter. */
export function fakeReader({ live, changes }: FakeRecords): RecordReader {
  return {
    async *select(resource) {
      const found = live(resource)
      for (let at = 0; at < found.length; at += 2) yield found.slice(at, at + 2)
    },
    keys: async (resource) => live(resource).map(({ key }) => key),
    byKeys: async (resource, keys) => live(resource).filter(({ key }) => keys.includes(key)),
    history: async (resource, ...keys) =>
      changes.filter((change) => change.resource === resource && keys.includes(change.key)),
  }
}
