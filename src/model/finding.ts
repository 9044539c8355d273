import { hash } from 'node:crypto'
import type { Resolution } from './check-status.ts'
import type { EntityNames } from './entity-names.ts'
import type { Severity } from './severity.ts'
import { type Columns, membersOf } from './text/formats.ts'

export const findingStates = ['open', 'waived', 'resolved'] as const

/** Times are ISO 8601 in UTC (docs/daily-work.md#findings-for-other-systems). */
export interface FindingView {
  readonly fingerprint: string
  readonly tenant: string
  readonly check: string
  readonly entity: { readonly type: string; readonly id: string } & EntityNames
  readonly severity: Severity
  readonly state: (typeof findingStates)[number]
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly firstSeen: string
  readonly lastSeen: string
  readonly resolvedAt: string | null
  readonly resolution: Resolution | null
  readonly reopened: number
  readonly waiver: WaiverMark | null
  /** Who looks after the entity, by `owners`; null = nobody is named. */
  readonly owner: string | null
  /** Address of the entity in the portal; null = none is configured. */
  readonly link: string | null
}

export interface FindingIdentity {
  readonly tenant: string
  readonly check: string
  readonly entityType: string
  readonly entityId: string
}

/** The same for all findings of a check about an entity of a tenant. */
export function fingerprintOf({ tenant, check, entityType, entityId }: FindingIdentity): string {
  return hash('sha256', JSON.stringify([tenant, check, entityType, entityId])).slice(0, 32)
}

/** Enough of a fingerprint for people and commands. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}

/** The id of the drifted state for `tenantwatch accept` (docs/waivers.md#drift); null when nothing can be accepted. */
export function driftIdIn({ evidence: { driftId } }: Pick<FindingView, 'evidence'>): string | null {
  return typeof driftId === 'string' ? driftId : null
}

export interface NamedFinding {
  readonly check: string
  readonly severity: Severity
  readonly entityType: string
  /** Empty if the id may name a person or a file. */
  readonly entityId: string
  readonly fingerprint: string
  /** Empty without one. */
  readonly owner: string
}

export interface WaiverMark {
  readonly id: string
  readonly owner: string
  readonly reason: string
  readonly expires: string
  readonly state: 'active' | 'expired' | 'lapsed'
  readonly explanation: string | null
}

const names: Columns<FindingView> = {
  name: ({ entity }) => entity.name,
  email: ({ entity }) => entity.email,
  filename: ({ entity }) => entity.filename,
}

/**
 * Columns of the command `findings` and of `/api/v1/findings.csv`, in the order in which a person reads them. With
 * `details`, the names that the mirror has.
 */
export function findingColumns(details: boolean): Columns<FindingView> {
  return {
    ...membersOf('severity', 'check', 'message'),
    entityType: ({ entity }) => entity.type,
    entityId: ({ entity }) => entity.id,
    ...(details ? names : {}),
    ...membersOf('owner', 'firstSeen', 'lastSeen', 'tenant', 'state', 'resolvedAt', 'resolution', 'reopened'),
    ...membersOf('waiver', 'fingerprint', 'link', 'evidence'),
  }
}
