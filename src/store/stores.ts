import { verifyChain } from './audit/verify-chain.ts'
import type { Database } from './database.ts'
import { erasureStore } from './erasure-store.ts'
import { eventStore } from './event-store.ts'
import { findingStore } from './findings/finding-store.ts'
import { resultStore } from './findings/result-store.ts'
import { waiverStore } from './findings/waiver-store.ts'
import { present } from './history/as-of.ts'
import { changeStore, personalReader } from './history/changes.ts'
import { clockStore } from './history/clock.ts'
import { configurationLog } from './history/configuration-log.ts'
import { pastStore } from './history/past-reader.ts'
import type { Mirror } from './port.ts'
import { qualityStore } from './records/quality-store.ts'
import { recordReader } from './records/record-reader.ts'
import { fullSyncStore } from './sync/full-sync-store.ts'
import { holdStore } from './sync/hold-store.ts'
import { pageStore } from './sync/page-store.ts'
import { SeenRecords } from './sync/seen-records.ts'
import { tenantStore } from './sync/tenant-store.ts'

type Others = 'isVerified' | 'ping' | 'verify' | typeof Symbol.asyncDispose

/** All operations that are the same on every database. */
export function storesOver(database: Database) {
  const { versions } = database
  const passes = new SeenRecords()
  const records = (tenantId: number) => recordReader(database, tenantId)
  return {
    ...tenantStore(database),
    ...pageStore(database, passes),
    ...fullSyncStore(database, passes),
    ...holdStore(database),
    ...resultStore(database),
    ...findingStore(database),
    ...qualityStore(database),
    records,
    record: async (tenantId, resource, key) => (await records(tenantId).byKeys(resource, [key]))[0] ?? null,
    ...eventStore(database),
    ...waiverStore(database),
    ...clockStore(database),
    ...configurationLog(database),
    ...changeStore(database),
    ...pastStore(database),
    personal: personalReader(database, present),
    verifyChain: (tenantId, heads) => verifyChain(database, tenantId, heads),
    ...erasureStore(database),
    dataVersion: (tenantId, resource) => versions.ofRecords(tenantId, resource),
    findingVersion: (tenantId, check) => versions.ofFindings(tenantId, check),
  } satisfies Omit<Mirror, Others>
}
