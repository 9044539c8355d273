import type { ReplicaFacts } from '../store/tenant-stores.ts'
import type { Family, FamilyDefinition } from './family.ts'
import { timestampSeconds } from './posture-gauge.ts'

const where = 'Only with `store.url`. Read from the process.'

export const replicaMetrics = {
  tenants: {
    name: 'tenantwatch_replica_tenants',
    help: `Tenants that this replica owns: it syncs, evaluates and exports them. ${where}`,
    labelNames: [],
  },
  owned: {
    name: 'tenantwatch_tenant_owned',
    help: `1 when this replica owns the configured tenant and exports its series, 0 when another one does, or none. ${where}`,
    labelNames: ['tenant'],
  },
  heartbeatAt: {
    name: 'tenantwatch_replica_heartbeat_timestamp_seconds',
    help: `Time of the last heartbeat that the database confirmed, in seconds since the epoch; after 6 seconds without one the replica owns nothing. ${where}`,
    labelNames: [],
  },
  takeovers: {
    name: 'tenantwatch_tenant_takeovers_total',
    help: `Tenants that this replica took over from replicas without a heartbeat. ${where}`,
    labelNames: [],
  },
  unowned: {
    name: 'tenantwatch_tenants_unowned',
    help: `Configured tenants that no living replica owns, as of the last heartbeat, and those that this replica is giving back. Without a recent heartbeat, the ones that it owned count as well. ${where}`,
    labelNames: [],
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>

export interface ReplicaReading extends ReplicaFacts {
  /** Names of all configured tenants. */
  readonly tenants: readonly string[]
}

/** @param shown tenants whose series this replica exports now. */
export function replicaFamilies(
  { tenants, heartbeatAt, takeovers, unowned }: ReplicaReading,
  shown: ReadonlySet<string>,
): readonly Family[] {
  const owned = tenants.map((tenant) => ({ labels: { tenant }, value: Number(shown.has(tenant)) }))
  return [
    family(replicaMetrics.tenants, 'gauge', shown.size),
    { ...family(replicaMetrics.owned, 'gauge', 0), samples: owned },
    family(replicaMetrics.heartbeatAt, 'gauge', timestampSeconds(heartbeatAt)),
    family(replicaMetrics.takeovers, 'counter', takeovers),
    family(replicaMetrics.unowned, 'gauge', unowned),
  ]
}

function family({ name, help }: FamilyDefinition, type: Family['type'], value: number): Family {
  return { name, help, type, samples: [{ labels: {}, value }] }
}
