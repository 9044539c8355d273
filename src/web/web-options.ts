import type { WebSettings } from '../config/web-settings.ts'
import type { Clock } from '../model/clock.ts'
import type { Description } from '../model/describe.ts'
import type { Expiry, SecretView } from '../model/expiry.ts'
import type { FindingView } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { EndedRun } from '../model/run-result.ts'
import type { Trend } from '../model/trend.ts'
import type { FindingFilter, TenantChangeRow } from '../store/port.ts'

/** A filter of findings; an absent field does not restrict. */
export interface FindingQuery extends Omit<FindingFilter, 'all' | 'lapsed' | 'tenantIds'> {
  readonly tenant?: string | undefined
  readonly owner?: string | undefined
  /** Absent: open and not waived. */
  readonly states?: readonly FindingView['state'][]
  /** Adds names, e-mail addresses and file names. Only if they may be shown. */
  readonly withPersonal?: boolean
}

export interface Probe {
  readonly ok: boolean
  readonly text: string
}

export interface KnownNames {
  readonly tenants: readonly string[]
  /** All checks, including disabled ones. */
  readonly checks: readonly string[]
  readonly owners: readonly string[]
}

export interface SyncRequest {
  readonly tenant?: string | undefined
  readonly resource?: ResourceName | undefined
  /** `full`: every full sync; `incremental`: those that are due. Absent: whatever is due. */
  readonly mode?: SyncMode | undefined
  /** First hash of the mirror that is meant; absent: whichever it is. */
  readonly mirror?: string | undefined
}

/** A change of a record with the known names of the entity: name, e-mail address, file name. */
export interface ChangeView extends TenantChangeRow {
  readonly names: readonly string[]
}

/** What outputs read of the mirror besides postures. */
export interface TenantViews {
  /** Oldest first unless the query says otherwise. */
  findings(query: FindingQuery): AsyncIterable<FindingView>
  /** Secrets of a tenant's API clients by expiry, the earliest first. */
  secrets(tenant: string): Promise<readonly SecretView[]>
  /** The last changes in the mirror of a tenant, newest first. */
  changes(tenant: string, most: number, withPersonal: boolean): Promise<readonly ChangeView[]>
  /** For the plots; null before the tenant is mirrored. */
  trend(tenant: string): Promise<Trend | null>
  /** Secret expiries and waiver ends of all tenants, or of one, in order of time. */
  expiries(tenant?: string): Promise<readonly Expiry[]>
}

export interface WebSources extends TenantViews {
  /** The exposition of the metrics, in pieces. */
  readonly metrics: () => Promise<AsyncGenerator<string>>
  readonly names: () => KnownNames
  /** The resource whose records a check evaluates. */
  readonly evaluates: (check: string) => ResourceName | undefined
  readonly posture: (tenant?: string) => Promise<readonly TenantPosture[]>
  /** Of the daemon as a whole: a reload that failed, and targets of notifications that messages do not reach. */
  readonly problems: () => Promise<readonly Description[]>
  /** Whether the engine's heartbeat is recent. */
  readonly health: () => Probe | Promise<Probe>
  /** Whether the database is open and every enabled resource was attempted once. */
  readonly ready: () => Probe | Promise<Probe>
  /** Hash of the first event, by which the mirror is recognized. */
  readonly firstHash: () => Promise<string | null>
  /** Runs what is due, or what is asked for, and resolves when all has ended. A resource is run at most once a minute. */
  readonly syncNow: (asked: SyncRequest) => Promise<readonly EndedRun[]>
  /** Reloads the configuration; on failure the last valid one stays in force. */
  readonly reload: () => Promise<Probe>
}

export interface WebAccess extends WebSettings {
  /** Whether names of persons, e-mails and file names are shown. */
  readonly exposeDetails: boolean
  /** True when every route but health and readiness requires authentication. */
  readonly isProtected: boolean
  /** Accepted host names beside `localhost` and IP addresses, in lower case. */
  readonly allowedHosts: readonly string[]
}

export interface WebOptions {
  /** Port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Called at each request and each handshake. */
  readonly access: () => WebAccess
  readonly sources: WebSources
  readonly clock: Clock
  readonly log: Log
}
