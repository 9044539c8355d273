import { RecordTally } from '../../../src/evaluate/record-tally.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import type { RecordCounts } from '../../../src/store/port.ts'
import type { MirrorRecord, RecordReader } from '../../../src/store/records/query.ts'

export type Records = Readonly<Partial<Record<ResourceName, readonly MirrorRecord[]>>>

export function record(key: string, fields: Record<string, unknown>, times: Record<string, number> = {}): MirrorRecord {
  return {
    key,
    fields,
    times,
    extra: null,
    firstSeenAt: 0,
    readAt: 0,
    requestId: null,
    absent: false,
    quarantined: false,
  }
}

/** A reader of records in memory: what the gauges ask of it, and a refusal of the rest. */
export function readerOf(records: Records): RecordReader {
  const refuse = () => Promise.reject(new Error('Not asked by gauges'))
  return {
    async *select(resource) {
      const all = records[resource] ?? []
      for (let i = 0; i < all.length; i += 2) yield all.slice(i, i + 2)
    },
    keys: refuse,
    byKeys: refuse,
    history: refuse,
    changesSince: refuse,
  }
}

/** As an evaluation counts them. */
export function countsOf(records: Records): ReadonlyMap<ResourceName, RecordCounts> {
  return new Map(
    resources.map((definition) => {
      const tally = new RecordTally(definition)
      for (const one of records[definition.name] ?? []) tally.add(one)
      return [definition.name, tally.result()]
    }),
  )
}
