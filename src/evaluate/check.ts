import type * as z from 'zod'
import type { UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import type { AcceptedState } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import { digestOf } from './digest.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from './own-query.ts'

export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

export interface CheckFacts {
  /** `<resource>-<practice>`; also the name of the check's file. */
  readonly id: string
  /** One sentence that states the passing case. */
  readonly title: string
  readonly description: string
  readonly risk: string
  readonly remediation: string
  /** Null when other rules alert on its findings. */
  readonly alert: CheckAlert | null
  /** Requirements that the check is evidence for, such as `soc2 CC6.1`; own checks may name others. */
  readonly frameworks: readonly string[]
  readonly severities: readonly Severity[]
  readonly evaluates: ResourceName
  readonly needs: readonly ResourceName[]
  readonly entity: {
    readonly type: string
    /** True when ids are record keys of the evaluated resource; otherwise an entity is derived from all its records. */
    readonly isRecord: boolean
    /** True if its ids are numbers, GUIDs or configured words, which name no person and are public. */
    readonly hasPlainIds?: true
  }
  /** The condition under which an entity cannot be evaluated; absent = all can. */
  readonly notEvaluatedWhere?: string
  /** True when the result can change without new data. Such a check only passes while the clocks agree. */
  readonly timeBased: boolean
  /** True when the result depends on which of two inputs was read later. */
  readonly comparesReads?: true
  /** In milliseconds, in addition to the freshness limits of the inputs. */
  readonly maxAgeMs?: number
  readonly own?: {
    readonly file: string
    readonly problem: string | null
  }
  /** Evidence whose change makes a waiver lapse (in lists `list.field`); absent = all but ids, times, thresholds. */
  readonly material?: readonly string[]
  /** Set if an operator may accept findings as drift; their evidence has `present`, `expected` and `expectedFrom`. */
  readonly drift?: {
    /** Stored once as the first accepted states; absent = the check derives them itself. */
    readonly states?: (reader: RecordReader) => Promise<ReadonlyMap<string, unknown>>
  }
}

export interface CheckAlert {
  /** Name of the failing case; the alert and its runbook are called `Tenantwatch<name>`. */
  readonly name: string
  /** The failing case: the words after the number of entities, or a clause if a tenant has only one such entity. */
  readonly summary: string | { readonly one: string; readonly other: string }
}

export interface CheckContext {
  readonly knownUserStates: readonly string[]
  readonly knownDocumentStatuses: readonly (string | null)[]
  readonly optionsOf: (check: string) => Readonly<Record<string, unknown>>
  /** Inputs that are stale or lack records, so that an absent record may exist. */
  readonly incomplete: ReadonlySet<ResourceName>
  /** Start of the last complete full sync, in milliseconds since the epoch; only with `comparesReads`. */
  readonly readInFullAt: (resource: ResourceName) => number
  /** In lower case; null when not configured. */
  readonly ownClientId: string | null
  /** The accepted states of a check with `drift`, by entity; null before its first states are stored. */
  readonly accepted: () => Promise<ReadonlyMap<string, AcceptedState> | null>
}

export type RuleContext = Pick<CheckContext, 'knownUserStates' | 'knownDocumentStatuses' | 'optionsOf' | 'ownClientId'>

export interface Failure {
  readonly entityId: string
  readonly severity: Severity
  /** One sentence; with dates, because ages change at each evaluation; without names of persons, e-mails and files. */
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
}

export type NotEvaluatedReason = Extract<UnknownReason, 'ambiguous' | 'missing_records'>

export type Scope = 'evaluated' | 'not_evaluated' | 'not_applicable' | 'accepted'

export const maxUnevaluatedIds = 10

export interface Loaded<Candidate> {
  readonly population: number
  /** In batches, to limit memory. */
  readonly candidates: AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>
  readonly notEvaluated?: number
  /** Absent = `ambiguous`. */
  readonly notEvaluatedFor?: NotEvaluatedReason
  /** Absent when the ids are not public. */
  readonly unevaluated?: readonly string[]
  readonly applicable?: boolean
  /** Scope of an entity that has an open finding and no longer fails; absent = all were evaluated. */
  readonly scope?: (entityId: string, evidence: Failure['evidence']) => Promise<Scope>
  /** True when the result of the same records can change with time; absent = `timeBased`. */
  readonly ages?: boolean
  /** Shortest time until a failure ends by the passing of time alone, in milliseconds; absent = it does not end so. */
  readonly shortestMs?: number
}

export interface CheckSpec<Schema extends z.ZodObject, Candidate> extends CheckFacts {
  /** Every option has a default. */
  readonly options: Schema
  /** False if the configuration leaves nothing to evaluate: not applicable, whatever the status would be otherwise. */
  readonly isConfigured?: (options: z.output<Schema>) => boolean
  readonly assumption?: (options: z.output<Schema>) => string | null
  readonly ruleContext?: (context: RuleContext) => unknown
  load(reader: RecordReader, options: z.output<Schema>, now: number, context: CheckContext): Promise<Loaded<Candidate>>
  evaluate(candidate: Candidate, options: z.output<Schema>, now: number): Failure | null
}

export interface EvaluateInput {
  readonly reader: RecordReader
  readonly options: unknown
  readonly now: number
  readonly context: CheckContext
  readonly runQuery?: (query: Omit<OwnQuery, 'now' | 'tenant'>) => Promise<OwnAnswer | NoAnswer>
}

export interface Evaluated {
  readonly applicable: boolean
  readonly population: number
  readonly notEvaluated: number
  readonly notEvaluatedFor: NotEvaluatedReason
  readonly unevaluated?: readonly string[]
  readonly failures: AsyncIterable<readonly Failure[]>
  readonly scope: (entityId: string, evidence: Failure['evidence']) => Promise<Scope>
  readonly ages: boolean
  readonly shortestMs?: number
  readonly rule: string
  /** Names entities that could not be evaluated; null if all were evaluated. */
  readonly notEvaluatedIds?: string | null
}

export interface Check extends CheckFacts {
  readonly options: z.ZodObject
  /** Digest of the configuration that affects the result. A stored result with another digest is not shown. */
  ruleOf(options: unknown, context: RuleContext): string
  isConfigured?(options: unknown): boolean
  assumption?(options: unknown): string | null
  evaluator(input: EvaluateInput): Promise<Evaluated>
}

export function defineCheck<Schema extends z.ZodObject, Candidate>(spec: CheckSpec<Schema, Candidate>): Check {
  const { load, evaluate, ruleContext, isConfigured, assumption, ...facts } = spec
  const digest = (options: unknown, context: RuleContext) =>
    digestOf([options, ruleContext?.(context) ?? null]).slice(0, 16)
  // Memoized, because each scrape parses the same few configuration objects for each tenant.
  const read = memoizeByObject((raw: unknown) => spec.options.parse(raw))
  const rules = memoizeByObject((_raw: unknown) => new Map<string, string>())
  return {
    ...facts,
    ...(isConfigured && { isConfigured: (raw: unknown) => isConfigured(read(raw)) }),
    ...(assumption && { assumption: (raw: unknown) => assumption(read(raw)) }),
    ruleOf(raw, context) {
      const known = rules(raw)
      const key = JSON.stringify(ruleContext?.(context) ?? null)
      const rule = known.get(key) ?? digest(read(raw), context)
      known.set(key, rule)
      return rule
    },
    async evaluator({ reader, options: raw, now, context }) {
      const options = spec.options.parse(raw)
      const loaded = await load(reader, options, now, context)
      return {
        applicable: loaded.applicable ?? true,
        population: loaded.population,
        notEvaluated: loaded.notEvaluated ?? 0,
        notEvaluatedFor: loaded.notEvaluatedFor ?? 'ambiguous',
        unevaluated: loaded.unevaluated ?? [],
        failures: failuresOf(loaded.candidates, (candidate) => evaluate(candidate, options, now)),
        scope: loaded.scope ?? (async () => 'evaluated'),
        ages: loaded.ages ?? spec.timeBased,
        ...(loaded.shortestMs !== undefined && { shortestMs: loaded.shortestMs }),
        rule: digest(options, context),
      }
    },
  }
}

async function* failuresOf<Candidate>(
  batches: Loaded<Candidate>['candidates'],
  evaluate: (candidate: Candidate) => Failure | null,
): AsyncIterable<readonly Failure[]> {
  for await (const batch of batches) yield batch.flatMap((candidate) => evaluate(candidate) ?? [])
}

function memoizeByObject<T>(make: (value: unknown) => T): (value: unknown) => T {
  const made = new WeakMap<object, { readonly value: T }>()
  return (key) => {
    if (typeof key !== 'object' || key === null) return make(key)
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

export function inputsOf({ evaluates, needs, own }: CheckFacts): readonly ResourceName[] {
  return own === undefined || own.problem === null ? [evaluates, ...needs] : []
}
