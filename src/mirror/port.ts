import type { EvidenceStore } from './findings/evidence-port.ts'
import type { AdminStore, FindingStore } from './findings/finding-port.ts'
import type { OpenFindingStore } from './findings/open-finding-port.ts'
import type { SyncStore } from './sync/sync-port.ts'

export type * from './findings/evidence-port.ts'
export type * from './findings/finding-port.ts'
export type * from './findings/open-finding-port.ts'
export type * from './findings/waiver-port.ts'
export type * from './own-checks/own-check-port.ts'
export type * from './records/removal-port.ts'
export type * from './sync/lookup-port.ts'
export type * from './sync/page-port.ts'
export type * from './sync/sync-port.ts'

/** The local database copy of every tenant: whole operations only, so that its body can be another database. */
export interface Mirror extends SyncStore, FindingStore, OpenFindingStore, EvidenceStore, AdminStore, AsyncDisposable {}
