import { verifyChain } from './audit/verify-chain.ts'
import type { Database } from './database.ts'
import { erasureStore } from './erasure-store.ts'
import { acceptedStateStore } from './findings/accepted-states.ts'
import { findingStore, openFindings } from './findings/finding-store.ts'
import { comparedFindings } from './findings/finding-writer.ts'
import { resultStore } from './findings/result-store.ts'
import { waiverStore } from './findings/waiver-store.ts'
import { clockStore } from './history/clock.ts'
import { configurationLog } from './history/configuration-log.ts'
import { historyStore } from './history/history-store.ts'
import { tenantStates } from './history/tenant-states.ts'
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
    ...comparedFindings(database),
    ...findingStore(database),
    ...openFindings(database),
    ...qualityStore(database),
    records,
    ...waiverStore(database),
    ...acceptedStateStore(database),
    ...clockStore(database),
    ...configurationLog(database),
    ...tenantStates(database),
    ...historyStore(database, records),
    verifyChain: (tenantId, heads) => verifyChain(database, tenantId, heads),
    ...erasureStore(database),
    dataVersion: (tenantId, resource) => versions.ofRecords(tenantId, resource),
    findingVersion: (tenantId, check) => versions.ofFindings(tenantId, check),
  } satisfies Omit<Mirror, Others>
}
