import { auditStore } from './audit/audit-store.ts'
import type { Database } from './database.ts'
import { erasureStore } from './erasure-store.ts'
import { findingStore, openFindings } from './findings/finding-store.ts'
import { comparedFindings } from './findings/finding-writer.ts'
import { resultStore } from './findings/result-store.ts'
import { acceptedStateStore, waiverStore } from './findings/waiver-store.ts'
import { changeLog } from './history/change-log.ts'
import { clockStore, evidenceStore } from './history/evidence-store.ts'
import { historyStore } from './history/history-store.ts'
import type { Mirror } from './port.ts'
import { listedRecords } from './records/listed-records.ts'
import { personComparison } from './records/person-comparison.ts'
import { quarantineStore } from './records/quarantine-store.ts'
import { tallies } from './records/record-counts.ts'
import { recordReaders } from './records/record-reader.ts'
import { removalStore, removals } from './records/removal-store.ts'
import { fullSyncNotes, fullSyncStore } from './sync/full-sync-store.ts'
import { holdStore } from './sync/hold-store.ts'
import { knownListStore } from './sync/known-list.ts'
import { lookUpStore } from './sync/lookup-store.ts'
import { pageStore, recordWriters } from './sync/page-store.ts'
import { qualityStore } from './sync/quality-store.ts'
import { runEnds } from './sync/sync-states.ts'
import { tenantStore } from './sync/tenant-store.ts'

type Others = 'ask' | 'isVerified' | 'ping' | 'verify' | typeof Symbol.asyncDispose

/** All operations that are the same on every database. */
export function storesOver(database: Database) {
  const log = changeLog(database)
  const quarantine = quarantineStore(database)
  const removal = removals(database, log, quarantine)
  const notes = fullSyncNotes(database)
  const ends = runEnds(database)
  const writer = recordWriters(database)
  const { versions } = database
  const records = recordReaders(database)
  return {
    ...tenantStore(database, ends),
    ...knownListStore(database, { writer, quarantine, removals: removal, ends }),
    ...pageStore(database, {
      writer,
      tallies: tallies(database),
      log,
      quarantine,
      removals: removal,
      fullSyncNotes: notes,
    }),
    ...removalStore(database, removal),
    ...fullSyncStore(database, { removals: removal, quarantine, fullSyncNotes: notes }),
    ...lookUpStore(database, quarantine),
    ...personComparison(database),
    ...holdStore(database, removal),
    ...listedRecords(database, removal),
    ...resultStore(database),
    ...comparedFindings(database),
    ...findingStore(database),
    ...openFindings(database),
    ...qualityStore(database),
    records,
    ...waiverStore(database),
    ...acceptedStateStore(database),
    ...clockStore(database),
    ...evidenceStore(database),
    ...historyStore(database, records),
    ...auditStore(database),
    ...erasureStore(database),
    dataVersion: (tenantId, resource) => versions.ofRecords(tenantId, resource),
    findingVersion: (tenantId, check) => versions.ofFindings(tenantId, check),
  } satisfies Omit<Mirror, Others>
}
