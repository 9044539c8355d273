import type { OwnerView } from '../model/posture.ts'
import type { LeasedTenant } from './db/leases.ts'
import type { Mirror } from './port.ts'

/** Runs the work on this process's tenants. */
export interface TenantWorker {
  isIdle(tenant: string): boolean
  /** Ends work on tenants without a store, and starts it on tenants with a new one. */
  follow(): Promise<void>
}

/** State of this replica and of the others on its database; times in milliseconds since the epoch. */
export interface ReplicaFacts {
  /** Names of all configured tenants. */
  readonly tenants: readonly string[]
  /** Last heartbeat that the database confirmed. */
  readonly heartbeatAt: number
  /** False if that is so long ago that this process may write nothing. */
  readonly isConfirmed: boolean
  /** Tenants taken over from replicas that died. */
  readonly takeovers: number
  /** Configured tenants that nobody exports: without a living owner, or being given back or lost by this replica. */
  readonly unowned: number
}

/** The stores that this process writes through. Reads of any tenant go through the mirror. */
export interface TenantStores<Store = Mirror> extends AsyncDisposable {
  /** Null while another replica owns the tenant; afterwards a new object. */
  of(tenant: string): Store | null
  /** Store for rows that belong to no tenant; null while another replica writes them. */
  shared(): Store | null
  /**
   * Sets the configured tenants; call before `of`.
   *
   * @throws SyncError `store` if they take effect later, EngineRunning if this process must be alone and is not.
   */
  configure(tenants: readonly LeasedTenant[]): Promise<void>
  /** Names of tenants that were removed from the configuration. */
  removed(configured: readonly string[]): Promise<readonly string[]>
  /** Null if this process is the only one. */
  facts(): ReplicaFacts | null
  /** Owners of mirrored tenants, by name; null if this process is the only one. @throws SyncError `store`. */
  owners(): Promise<ReadonlyMap<string, OwnerView> | null>
  /** @param worker notified when the stores change. */
  begin(worker: TenantWorker): void
}

/** Stores of a process that owns all tenants, through one mirror. */
export function onlyStore(mirror: Mirror): TenantStores {
  return {
    of: () => mirror,
    shared: () => mirror,
    async configure() {},
    async removed(configured) {
      const kept = new Set(configured)
      return (await mirror.tenants()).map(({ name }) => name).filter((name) => !kept.has(name))
    },
    facts: () => null,
    owners: async () => null,
    begin() {},
    async [Symbol.asyncDispose]() {},
  }
}
