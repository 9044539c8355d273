import type * as z from 'zod'
import type { CheckSettings, TenantSettings } from '../config/settings.ts'
import type { UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import type { ChangeRow, MirrorRecord } from '../store/records/query.ts'
import type { AcceptedState } from './decisions.ts'
import type { OwnQuery } from './own-query.ts'

export interface CheckFacts {
  /** `<resource>-<practice>`; also the name of the check's file. */
  readonly id: string
  /** One sentence that states the passing case. */
  readonly title: string
  /** States the failing case: of one and of several findings after their number, or as a whole; absent = the title stays. */
  readonly failing?: readonly [one: string, several: string] | string
  readonly description: string
  readonly risk: string
  readonly remediation: string
  /**
   * The failing case: the alert and its runbook are `Tenantwatch<alert>`. Null: other rules alert on its findings, at least
   * `TenantwatchOwnCheckFails`.
   */
  readonly alert: string | null
  /** Requirements that the check is evidence for, such as `soc2 CC6.1`; own checks may name others. */
  readonly frameworks: readonly string[]
  readonly severities: readonly Severity[]
  readonly evaluates: ResourceName
  readonly needs: readonly ResourceName[]
  readonly entity: {
    readonly type: string
    /** True when ids are record keys of the evaluated resource; otherwise an entity is derived from all its records. */
    readonly isRecord: boolean
  }
  /** The condition under which an entity cannot be evaluated; absent = all can. */
  readonly notEvaluatedWhere?: string
  /** True when the result can change without new data. Such a check only passes while the clocks agree. */
  readonly timeBased: boolean
  /** In milliseconds, in addition to the freshness limits of the inputs. */
  readonly maxAgeMs?: number
  readonly own?: { readonly file: string }
  /** Evidence whose change makes a waiver lapse (in lists `list.field`); absent = all but ids, times, thresholds. */
  readonly material?: readonly string[]
  /** Set if an operator may accept findings as drift; their evidence has `present`, `expected` and `expectedFrom`. */
  readonly drift?: {
    /** States of all evaluated records, stored once as the first accepted ones. @param changes of these records */
    readonly states: (records: readonly MirrorRecord[], changes: readonly ChangeRow[]) => ReadonlyMap<string, unknown>
  }

  /** Id of another check with `drift`, whose accepted states this one compares with while that one is enabled. */
  readonly acceptedOf?: string
}

export interface RuleContext {
  readonly knownUserStates: readonly string[]
  readonly knownRoleStates: readonly string[]
  readonly knownDocumentStatuses: readonly (string | null)[]
  readonly optionsOf: (check: string) => CheckOptions
  /** In lower case; null when not configured. */
  readonly ownClientId: string | null
}

/** Prepared once for all records of an evaluation. */
export interface CheckContext extends RuleContext {
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Inputs that are stale or lack records, so that an absent record may exist. */
  readonly incomplete: ReadonlySet<ResourceName>
  /** Start of the last complete full sync, in milliseconds since the epoch. */
  readonly readInFullAt: (resource: ResourceName) => number
  /** End of the first complete full sync, likewise. */
  readonly firstReadInFullAt: (resource: ResourceName) => number
  /** End of the last complete full sync, likewise. */
  readonly readInFullBy: (resource: ResourceName) => number
  /** The accepted states of a check with `drift` or `acceptedOf`, by entity; null before the first ones are stored. */
  readonly accepted: ReadonlyMap<string, AcceptedState> | null
  /** All live records of a resource in `needs`, in key order. */
  readonly needed: (resource: ResourceName) => readonly MirrorRecord[]
  /** Changes of its records as far back as the check compares, and since the evaluated list was last read in full; for checks with `comparesReads`. */
  readonly changesOfNeeded: (resource: ResourceName) => readonly ChangeRow[]
}

export interface Failure {
  readonly severity: Severity
  /** One sentence; with dates, because ages change at each evaluation; without names of persons, e-mails and files. */
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
}

export type NotEvaluatedReason = Extract<UnknownReason, 'ambiguous' | 'missing_records'>

interface Timed {
  /** First instant, in milliseconds since the epoch, at which time alone gives another kind or severity; absent or infinite = never. */
  readonly until?: number
}

/** What a check finds about one entity. `outside`: not counted in the population. */
export type Outcome = Timed &
  (
    | {
        readonly kind: 'ok'
        readonly outside?: true
        /** Resolution of an open finding about the entity; absent = `fixed`. */
        readonly resolution?: 'not_applicable'
        /** When an operator accepted the state, as in the evidence of a finding that expected it already; others end as `rule_changed`. */
        readonly acceptedAt?: string
        /** True if it holds whatever records in quarantine or missing from the list are like; absent = false. */
        readonly isCertain?: boolean
      }
    | ({ readonly kind: 'fails' } & Failure)
    | {
        readonly kind: 'not_evaluated'
        readonly outside?: true
        /** Absent = `ambiguous`. */
        readonly reason?: NotEvaluatedReason
        /** A fact in the evidence of open findings that the configuration now accepts. */
        readonly accepts?: string
      }
    /** The check does not apply to the entity; if it applies to none, its status is `not_applicable`. */
    | { readonly kind: 'not_applicable' }
  )

/** One evaluation of a check. */
export interface Evaluator {
  /** True for a record whose changes `record` needs; absent = for none. */
  readsHistoryOf?(record: MirrorRecord): boolean
  /**
   * Called for each live record, in key order. Null: the record is no entity of the check.
   *
   * @param history changes of the record, oldest first; may be empty unless `readsHistoryOf`.
   */
  record(record: MirrorRecord, history: readonly ChangeRow[]): Outcome | null
  /** Outcomes of entities that derive from several records; called after the last one. */
  end?(): Iterable<readonly [entityId: string, outcome: Outcome]>
}

export const ok: Outcome = { kind: 'ok' }

/** As configured, with or without the defaults. */
export type CheckOptions = Readonly<Record<string, unknown>>

export interface Check extends CheckFacts {
  readonly options: z.ZodObject
  /** Digest of the configuration that affects the result. A stored result with another digest is not shown. */
  ruleOf(options: CheckOptions, context: RuleContext): string
  /** False if the configuration leaves nothing to evaluate: not applicable, whatever the status would be otherwise. */
  isConfigured?(options: CheckOptions): boolean
  /** What the configuration leaves open, as a sentence without a full stop; null = nothing. */
  assumption?(options: CheckOptions): string | null
  /** Time left, in milliseconds, from which the shipped rules alert, by severity of the finding. */
  alertThresholds?(options: CheckOptions): Readonly<Partial<Record<Severity, number>>>
  /** Set when the result depends on which of two inputs was read later: how far back it compares, in milliseconds. */
  comparesReads?(options: CheckOptions): number
  /** Absent for own checks, and for the record of a previous configuration. */
  begin?(options: CheckOptions, context: CheckContext): Evaluator
  /** Of an own check. */
  readonly query?: Omit<OwnQuery, 'now' | 'tenant'>
}

export function inputsOf({ evaluates, needs }: CheckFacts): readonly ResourceName[] {
  return [evaluates, ...needs]
}

const byDefault: CheckSettings = { enabled: true, severity: null, options: {} }

export function settingsOf(check: Pick<Check, 'id'>, tenant: Pick<TenantSettings, 'checks'>): CheckSettings {
  return Object.hasOwn(tenant.checks, check.id) ? (tenant.checks[check.id] ?? byDefault) : byDefault
}

export function ruleContextOf(
  tenant: Pick<TenantSettings, 'checks' | 'users' | 'roles' | 'documents' | 'ownClientId'>,
): RuleContext {
  return {
    knownUserStates: tenant.users.knownStates,
    knownRoleStates: tenant.roles.knownStates,
    knownDocumentStatuses: tenant.documents.knownStatuses,
    optionsOf: (id) => settingsOf({ id }, tenant).options,
    ownClientId: tenant.ownClientId?.toLowerCase() ?? null,
  }
}
