import type { OwnerView } from '../model/posture.ts'
import type { Mirror } from './port.ts'

export interface TenantName {
  readonly name: string
  readonly baseUrl: string
}

/** What works on the tenants of this process. */
export interface TenantWorker {
  isIdle(tenant: string): boolean
  /** Ends the work on tenants without a store, and begins that on tenants with a new one. */
  follow(): Promise<void>
}

/** What this process has to do with the others on its database; times in milliseconds since the epoch. */
export interface ReplicaFacts {
  /** Last heartbeat that the database confirmed. */
  readonly heartbeatAt: number
  /** False when that is so long ago that this process may write nothing. */
  readonly isConfirmed: boolean
  /** Tenants taken over from replicas that died. */
  readonly takeovers: number
  /** Configured tenants that no living replica owns, and those that this one is giving back or lost: nobody exports them. */
  readonly unowned: number
  /** Another text after each change of the tenants that this process owns. */
  readonly owned: string
  /** Number of different configurations among living replicas, as of the last heartbeat. */
  readonly configurations: number
}

/** The stores that this process writes through. Reads of any tenant go through the mirror. */
export interface TenantStores extends AsyncDisposable {
  /** Null while another replica owns the tenant. Another object after each time that it did. */
  of(tenant: string): Mirror | null
  /** For what belongs to no tenant; null while another replica does that work. */
  shared(): Mirror | null
  /**
   * Call with the tenants of the configuration before `of`.
   *
   * @param digest of the configuration, by which replicas notice that theirs differ.
   * @returns what makes the tenants those of before again.
   * @throws SyncError `store`; the tenants are those of before then.
   */
  configure(tenants: readonly TenantName[], at: number, digest: () => Promise<string>): Promise<() => void>
  /** Names of tenants that were removed from the configuration. */
  removed(configured: readonly string[]): Promise<readonly string[]>
  /** Null where this process is the only one. */
  facts(): ReplicaFacts | null
  /** Of mirrored tenants, by name; null where this process is the only one. @throws SyncError `store`. */
  owners(): Promise<ReadonlyMap<string, OwnerView> | null>
  /** Reads of stores and mirror within `read` wait for no run: for what somebody waits for, such as a scrape. */
  readToShow<T>(read: () => T): T
  /** @param worker told from now on when the stores change. */
  begin(worker: TenantWorker): void
}

/** All tenants are this process's, through the one mirror. */
export function onlyStore(mirror: Mirror): TenantStores {
  return {
    of: () => mirror,
    shared: () => mirror,
    configure: async () => () => {},
    async removed(configured) {
      const kept = new Set(configured)
      return (await mirror.tenants()).map(({ name }) => name).filter((name) => !kept.has(name))
    },
    facts: () => null,
    owners: async () => null,
    readToShow: (read) => read(),
    begin() {},
    async [Symbol.asyncDispose]() {},
  }
}
