import { acceptedStateStore } from './accepted-states.ts'
import { adminStore } from './admin-store.ts'
import { changeLog } from './change-log.ts'
import { clockStore } from './clock-store.ts'
import { watchData } from './data-versions.ts'
import { withStoreErrors } from './database.ts'
import { evidenceStore } from './evidence-store.ts'
import { damaged } from './file-guard.ts'
import { findingStore } from './finding-store.ts'
import { findingVersions, watchAcceptances } from './finding-versions.ts'
import { historyStore } from './history-store.ts'
import { holdStore } from './hold-store.ts'
import { knownListStore } from './known-list.ts'
import { knownPages } from './known-pages.ts'
import { lookUpStore } from './lookup-store.ts'
import { type OpenedDatabase, openBesideEngine, openForEngine } from './open-database.ts'
import { openFindings } from './open-findings.ts'
import { ownCheckStore } from './own-query/own-check-store.ts'
import { pageStore, recordWriters } from './page-store.ts'
import type { Mirror } from './port.ts'
import { quarantineStore } from './quarantine-store.ts'
import { keepCounts, tallies } from './record-counts.ts'
import { removalStore, removals } from './removal-store.ts'
import { revisions } from './revisions.ts'
import { runEnds } from './run-ends.ts'
import { tenantErasure } from './tenant-erasure.ts'
import { tenantStore } from './tenant-store.ts'
import { trustStore } from './trust-store.ts'
import { userComparison } from './user-comparison.ts'
import { verdictStore } from './verdict-store.ts'
import { keepWaiverRecord } from './waiver-record.ts'
import { waiverStore } from './waiver-store.ts'
import { walkNotes } from './walk-notes.ts'
import { walkStore } from './walk-store.ts'

/**
 * Opens the mirror in a SQLite file: `engine` alone and migrated when needed, `beside` a running engine otherwise.
 *
 * @throws FatalError in one sentence when the file cannot be had.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  const opened = role === 'engine' ? openForEngine(path) : openBesideEngine(path)
  try {
    return mirrorOver(opened)
  } catch (error) {
    opened[Symbol.dispose]()
    if (!(error instanceof Error) || error.name !== 'SqliteError') throw error
    // Of this layout by its own word, but the statements made for that do not fit: a name in it was hit.
    throw damaged(opened.database.raw.name, error.message)
  }
}

function mirrorOver(opened: OpenedDatabase): Mirror {
  const { database, guard } = opened
  const log = changeLog(database)
  const quarantine = quarantineStore(database)
  const removal = removals(database, log, quarantine)
  const notes = walkNotes(database)
  const ends = runEnds(database)
  const writer = recordWriters(database)
  const pages = knownPages(database, revisions(database))
  keepCounts(database)
  keepWaiverRecord(database)
  const versions = findingVersions()
  const verdicts = verdictStore(database, versions)
  const operations = {
    ...tenantStore(database, ends),
    ...knownListStore(database, { writer, quarantine, removals: removal, walkNotes: notes, ends }),
    ...pageStore(database, {
      writer,
      tallies: tallies(database),
      log,
      quarantine,
      removals: removal,
      walkNotes: notes,
      knownPages: pages,
    }),
    ...removalStore(database, removal),
    ...walkStore(database, { removals: removal, quarantine, walkNotes: notes, knownPages: pages }),
    ...lookUpStore(database, quarantine),
    ...userComparison(database),
    ...holdStore(database, removal),
    ...verdicts,
    ...findingStore(database, verdicts),
    ...openFindings(database),
    ...trustStore(database),
    ...ownCheckStore(database),
    ...waiverStore(database),
    ...acceptedStateStore(database),
    ...clockStore(database),
    ...evidenceStore(database, () => verdicts.settle()),
    ...historyStore(database, () => verdicts.settle()),
    ...adminStore(opened),
    ...tenantErasure(database),
    async [Symbol.asyncDispose]() {
      try {
        if (!guard.moved) verdicts.flush()
      } catch {
        // A database that cannot be written any more ends what is open; only when the checks were judged last is lost.
      }
      opened[Symbol.dispose]()
    },
  }
  const watched = watchAcceptances(versions, watchData(database, operations))
  return withStoreErrors(database, watched, (error) => guard.note(error))
}
