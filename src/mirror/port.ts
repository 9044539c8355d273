import type { EvidenceStore } from './evidence-port.ts'
import type { AdminStore, FindingStore } from './finding-port.ts'
import type { OpenFindingStore } from './open-finding-port.ts'
import type { SyncStore } from './sync-port.ts'

export type * from './evidence-port.ts'
export type * from './finding-port.ts'
export type * from './lookup-port.ts'
export type * from './open-finding-port.ts'
export type * from './own-check-port.ts'
export type * from './page-port.ts'
export type * from './removal-port.ts'
export type * from './sync-port.ts'
export type * from './waiver-port.ts'

/** The local database copy of every tenant: whole operations only, so that its body can be another database. */
export interface Mirror extends SyncStore, FindingStore, OpenFindingStore, EvidenceStore, AdminStore, AsyncDisposable {}
