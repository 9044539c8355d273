import { memoize } from '../model/memoize.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { verifyChain } from './audit/verify-chain.ts'
import type { Db } from './db/db.ts'
import { eventStore, present } from './event-store.ts'
import { findingStore } from './findings/finding-store.ts'
import { resultStore } from './findings/result-store.ts'
import { waiverStore } from './findings/waiver-store.ts'
import { changeStore, personalReader } from './history/changes.ts'
import { clockStore } from './history/clock.ts'
import { configurationLog } from './history/configuration-log.ts'
import { erasureStore } from './history/erasure.ts'
import { pastStore } from './history/past-reader.ts'
import { notificationStore } from './notification-store.ts'
import { qualityStore } from './records/quality-store.ts'
import type { MirrorRecord } from './records/query.ts'
import { recordReader } from './records/record-reader.ts'
import { fullSyncStore } from './sync/full-sync-store.ts'
import { holdStore } from './sync/hold-store.ts'
import { pageStore } from './sync/page-store.ts'
import { tenantStore } from './sync/tenant-store.ts'

function operationsOver(db: Db) {
  const records = (tenantId: number) => recordReader(db, tenantId)
  return {
    ...tenantStore(db),
    ...pageStore(db),
    ...fullSyncStore(db),
    ...holdStore(db),
    ...resultStore(db),
    ...findingStore(db),
    ...qualityStore(db),
    records,
    async record(tenantId: number, resource: ResourceName, key: string): Promise<MirrorRecord | null> {
      return (await records(tenantId).byKeys(resource, [key]))[0] ?? null
    },
    ...eventStore(db),
    ...waiverStore(db),
    ...clockStore(db),
    ...configurationLog(db),
    ...changeStore(db),
    ...notificationStore(db),
    ...pastStore(db),
    personal: personalReader(db, present),
    /** Compares the events of a tenant with their hash chain, and the present state with its last events. */
    verifyChain: (tenantId: number, heads?: readonly string[]) => verifyChain(db, tenantId, heads),
    ...erasureStore(db),
  }
}

/** All operations that are the same on every database. */
export interface Stores extends ReturnType<typeof operationsOver> {
  /** Reads in one transaction, so that all parts of `work` see the same state; it must not ask for two at a time. */
  snapshot<T>(work: (store: Stores) => Promise<T>): Promise<T>
}

export function storesOver(db: Db): Stores {
  return {
    ...operationsOver(db),
    snapshot: (work) =>
      db.read((sql) => {
        const stores = storesOver({ dialect: db.dialect, read: (part) => part(sql), write: refuseToWrite })
        // One for all tenants.
        return work({
          ...stores,
          latestTime: memoize<void, Promise<number>>(stores.latestTime),
          unconfirmedTime: memoize<void, Promise<number | null>>(stores.unconfirmedTime),
        })
      }),
  }
}

async function refuseToWrite(): Promise<never> {
  throw new TypeError('A snapshot of the mirror cannot be written')
}
