import { adminStore, tenantErasure } from '../admin-store.ts'
import { findingStore, openFindings } from '../findings/finding-store.ts'
import { resultStore } from '../findings/result-store.ts'
import { acceptedStateStore, keepWaiverRecord, waiverStore } from '../findings/waiver-store.ts'
import { clockStore, evidenceStore } from '../history/evidence-store.ts'
import { changeLog, historyStore } from '../history/history-store.ts'
import { ownCheckStore } from '../own-checks/own-check-store.ts'
import type { Mirror } from '../port.ts'
import { personComparison } from '../records/person-comparison.ts'
import { quarantineStore } from '../records/quarantine-store.ts'
import { keepCounts, tallies } from '../records/record-counts.ts'
import { recordReaders } from '../records/record-reader.ts'
import { removalStore, removals } from '../records/removal-store.ts'
import { fullSyncNotes, fullSyncStore } from '../sync/full-sync-store.ts'
import { holdStore } from '../sync/hold-store.ts'
import { knownListStore } from '../sync/known-list.ts'
import { lookUpStore } from '../sync/lookup-store.ts'
import { pageFingerprints, revisions } from '../sync/page-fingerprint-cache.ts'
import { pageStore, recordWriters } from '../sync/page-store.ts'
import { qualityStore } from '../sync/quality-store.ts'
import { runEnds } from '../sync/sync-states.ts'
import { tenantStore } from '../sync/tenant-store.ts'
import type { Operations } from './database.ts'
import { damaged } from './file-guard.ts'
import { type OpenedDatabase, openBesideEngine, openForEngine } from './open-database.ts'

/** @throws FatalError when the file cannot be opened; as `engine`, it is opened alone and migrated. */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  const opened = role === 'engine' ? openForEngine(path) : openBesideEngine(path)
  try {
    return mirrorOver(opened)
  } catch (error) {
    opened[Symbol.dispose]()
    if (!(error instanceof Error) || error.name !== 'SqliteError') throw error
    // The layout is current but the statements do not fit it: a name in the schema is damaged.
    throw damaged(opened.database.raw.name, error.message)
  }
}

function mirrorOver(opened: OpenedDatabase): Mirror {
  const { database, guard } = opened
  const log = changeLog(database)
  const quarantine = quarantineStore(database)
  const removal = removals(database, log, quarantine)
  const notes = fullSyncNotes(database)
  const ends = runEnds(database)
  const writer = recordWriters(database)
  const pages = pageFingerprints(database, revisions(database))
  keepCounts(database)
  keepWaiverRecord(database)
  const { versions } = database
  const checkResults = resultStore(database)
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
      pageFingerprints: pages,
    }),
    ...removalStore(database, removal),
    ...fullSyncStore(database, { removals: removal, quarantine, fullSyncNotes: notes, pageFingerprints: pages }),
    ...lookUpStore(database, quarantine),
    ...personComparison(database),
    ...holdStore(database, removal),
    ...checkResults,
    ...findingStore(database, checkResults),
    ...openFindings(database),
    ...qualityStore(database),
    records: recordReaders(database),
    ...ownCheckStore(database),
    ...waiverStore(database),
    ...acceptedStateStore(database),
    ...clockStore(database),
    ...evidenceStore(database, () => checkResults.settle()),
    ...historyStore(database, () => checkResults.settle()),
    ...adminStore(opened),
    ...tenantErasure(database),
    dataVersion: (tenantId, resource) => versions.ofRecords(tenantId, resource),
    findingVersion: (tenantId, check) => versions.ofFindings(tenantId, check),
    async [Symbol.asyncDispose]() {
      try {
        if (!guard.moved) checkResults.flush()
      } catch {
        // Closing continues without a writable database; only the last confirmations of check results are lost.
      }
      opened[Symbol.dispose]()
    },
  } satisfies Operations<Mirror>
}
