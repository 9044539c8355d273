import { adminStore } from './admin-store.ts'
import { changeLog } from './change-log.ts'
import { withStoreErrors } from './database.ts'
import { detailStore } from './detail-store.ts'
import { findingStore } from './finding-store.ts'
import { holdStore } from './hold-store.ts'
import { type OpenedDatabase, openBesideEngine, openForEngine } from './open-database.ts'
import { pageStore, recordWriters } from './page-store.ts'
import type { Mirror } from './port.ts'
import { quarantineStore } from './quarantine-store.ts'
import { removalStore, removals } from './removal-store.ts'
import { tenantStore } from './tenant-store.ts'
import { trustStore } from './trust-store.ts'
import { walkNotes } from './walk-notes.ts'
import { walkStore } from './walk-store.ts'

/**
 * Opens the mirror in a SQLite file: `engine` alone and migrated when needed, `beside` a running engine otherwise.
 *
 * @throws FatalError in one sentence when the file cannot be had.
 */
export function openMirror(path: string, role: 'engine' | 'beside'): Mirror {
  return mirrorOver(role === 'engine' ? openForEngine(path) : openBesideEngine(path))
}

function mirrorOver(opened: OpenedDatabase): Mirror {
  const { database, guard } = opened
  const log = changeLog(database)
  const quarantine = quarantineStore(database)
  const removal = removals(database, log)
  const notes = walkNotes(database)
  const writer = recordWriters(database)
  const operations = {
    ...tenantStore(database),
    ...pageStore(database, { writer, log, quarantine, removals: removal, walkNotes: notes }),
    ...removalStore(database, removal),
    ...walkStore(database, { removals: removal, quarantine, walkNotes: notes }),
    ...detailStore(database),
    ...holdStore(database, removal),
    ...findingStore(database),
    ...trustStore(database),
    ...adminStore(database, guard),
    async [Symbol.asyncDispose]() {
      opened[Symbol.dispose]()
    },
  }
  return withStoreErrors(database, operations, (error) => guard.note(error))
}
