import type { StoreSize } from '../store/db/sqlite/database-file.ts'
import type { ReplicaFacts } from '../store/tenant-stores.ts'
import {
  type AddSeries,
  type FamilyDefinition,
  type FamilyType,
  renderHead,
  renderSeries,
  timestampSeconds,
} from './family.ts'

/** What the process knows of itself. */
export interface ProcessFacts {
  readonly reload: { readonly successful: boolean; readonly lastSuccessAt: number }
  readonly store: StoreSize | null
  /** Null if no replicas share the tenants. */
  readonly replica: ReplicaFacts | null
  /** Tenants whose series this process exports now. */
  readonly shown: Pick<ReadonlySet<string>, 'has' | 'size'>
}

interface ProcessFamily extends FamilyDefinition {
  readonly type?: FamilyType
  each(facts: ProcessFacts, add: AddSeries): void
}

export const buildInfo: FamilyDefinition = {
  name: 'tenantwatch_build_info',
  help: 'Always 1; the label is the running version.',
  labelNames: ['version'],
}

export function renderBuildInfo(version: string): string {
  return renderHead(buildInfo, 'gauge') + renderSeries(buildInfo, (add) => add(1, version))
}

const replicated = 'Only with `store.url`. Read from the process.'

export const processFamilies: readonly ProcessFamily[] = [
  {
    name: 'tenantwatch_config_last_reload_successful',
    help: '1 when the last load or reload of the configuration succeeded.',
    labelNames: [],
    each: ({ reload }, add) => add(Number(reload.successful)),
  },
  {
    name: 'tenantwatch_config_last_reload_success_timestamp_seconds',
    help: 'Time of the last successful load of the configuration, in seconds since the epoch.',
    labelNames: [],
    each: ({ reload }, add) => add(timestampSeconds(reload.lastSuccessAt)),
  },
  {
    name: 'tenantwatch_store_size_bytes',
    help: 'Size of the database file and of its write-ahead log, in bytes.',
    labelNames: ['file'],
    each({ store }, add) {
      if (store === null) return
      add(store.bytes, 'database')
      add(store.walBytes, 'wal')
    },
  },
  {
    name: 'tenantwatch_replica_tenants',
    help: `Tenants that this replica owns: it syncs, evaluates and exports them. ${replicated}`,
    labelNames: [],
    each({ replica, shown }, add) {
      if (replica !== null) add(shown.size)
    },
  },
  {
    name: 'tenantwatch_tenant_owned',
    help: `1 when this replica owns the configured tenant and exports its series, 0 when another one does, or none. ${replicated}`,
    labelNames: ['tenant'],
    each({ replica, shown }, add) {
      for (const tenant of replica?.tenants ?? []) add(Number(shown.has(tenant)), tenant)
    },
  },
  {
    name: 'tenantwatch_replica_heartbeat_timestamp_seconds',
    help: `Time of the last heartbeat that the database confirmed, in seconds since the epoch; after 6 seconds without one the replica owns nothing. ${replicated}`,
    labelNames: [],
    each({ replica }, add) {
      if (replica !== null) add(timestampSeconds(replica.heartbeatAt))
    },
  },
  {
    name: 'tenantwatch_tenant_takeovers_total',
    type: 'counter',
    help: `Tenants that this replica took over from replicas without a heartbeat. ${replicated}`,
    labelNames: [],
    each({ replica }, add) {
      if (replica !== null) add(replica.takeovers)
    },
  },
  {
    name: 'tenantwatch_tenants_unowned',
    help: `Configured tenants that no living replica owns, as of the last heartbeat, and those that this replica is giving back. Without a recent heartbeat, the ones that it owned count as well. ${replicated}`,
    labelNames: [],
    each({ replica }, add) {
      if (replica !== null) add(replica.unowned)
    },
  },
]
