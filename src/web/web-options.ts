import type { TlsSettings } from '../config/web/web-settings.ts'
import type { ChangeView } from '../model/change.ts'
import type { SecretView } from '../model/client-secret.ts'
import type { Clock } from '../model/clock.ts'
import type { FindingView } from '../model/finding.ts'
import type { Log } from '../model/log.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { Deadline } from '../model/process/deadline.ts'
import type { Severity } from '../model/severity.ts'
import type { CheckResult } from './auth/basic-auth.ts'

/** Which findings are asked for; a field left out leaves nothing out. */
export interface FindingQuery {
  readonly tenant?: string
  readonly check?: string
  readonly severities?: readonly Severity[]
  /** Left out: open and not waived. */
  readonly states?: readonly FindingView['state'][]
  /** Leaves out what surely does not have this text in it; what is handed over need not have it. */
  readonly text?: string
  /** The last opened first. */
  readonly newestFirst?: boolean
}

/** An answer to a probe: one short sentence for people beside the check result. */
export interface Probe {
  readonly ok: boolean
  readonly text: string
}

/** The names that a filter may ask for. */
export interface KnownNames {
  /** Configured tenants. */
  readonly tenants: readonly string[]
  /** Everything that is evaluated, switched off or not. */
  readonly checks: readonly string[]
}

/** Everything the web shows, handed in: it reads no store and evaluates nothing. */
export interface WebSources {
  /** The whole exposition for an Accept header, in pieces; a rejection becomes a 500. */
  readonly metrics: (
    accept: string | undefined,
  ) => Promise<{ readonly contentType: string; readonly body: readonly Uint8Array[] }>
  readonly names: () => KnownNames
  /** Of all configured tenants, or of the one with this name. */
  readonly posture: (tenant?: string) => Promise<readonly TenantPosture[]>
  /** Findings in the order they were first opened, unless asked for the other way round, in batches. */
  readonly findings: (query: FindingQuery) => AsyncIterable<readonly FindingView[]>
  /** Secrets of a tenant's API clients, the one that expires first in front. */
  readonly secrets: (tenant: string) => Promise<readonly SecretView[]>
  /** The last changes of what is mirrored of a tenant, newest first. */
  readonly changes: (tenant: string, most: number) => Promise<readonly ChangeView[]>
  /** What ends by itself, of all tenants, in the order of time. */
  readonly deadlines: () => Promise<readonly Deadline[]>
  /** Whether the engine's heart beats. */
  readonly health: () => Probe | Promise<Probe>
  /** Whether the store is open and every enabled resource was tried once. */
  readonly ready: () => Probe | Promise<Probe>
  /** Loads the configuration anew; not ok keeps the last good one. */
  readonly reload: () => Promise<Probe>
}

/** Who may see what, as it is in force for one request or handshake. */
export interface WebAccess {
  /** Whether names of persons, e-mails and file names may be shown here. */
  readonly exposeDetails: boolean
  /** True when only somebody who proved who they are gets beyond health and readiness. */
  readonly isProtected: boolean
  /** Host names under which page and JSON are served beside `localhost` and IP addresses, in lower case. */
  readonly allowedHosts: readonly string[]
  /** Evaluates an Authorization header; null lets everybody in. Health and readiness are never asked for it. */
  readonly authenticate: ((authorization: string | undefined) => Promise<CheckResult>) | null
  /** Null serves plain HTTP; a server that runs does not turn from one to the other. */
  readonly tls: TlsSettings | null
  /** Headers in place of the server's own of the same name. */
  readonly headers: Readonly<Record<string, string>>
}

export interface WebOptions {
  /** Port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number }
  readonly version: string
  /** Asked at each request and each handshake. */
  readonly access: () => WebAccess
  readonly sources: WebSources
  readonly clock: Clock
  readonly log: Log
}
