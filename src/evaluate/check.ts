import type { z } from 'zod'
import type { AcceptedState, NoAnswer, OwnAnswer, OwnQuery } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import type { UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import { digestOf } from './digest.ts'

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
  /** The severities of its findings, lowest first. */
  readonly severities: readonly Severity[]
  readonly evaluates: ResourceName
  /** Further resources that must have been read in full and be fresh. */
  readonly needs: readonly ResourceName[]
  readonly entity: {
    readonly type: string
    /** True when entity ids are record keys of the evaluated resource; otherwise the entity is derived from all of them. */
    readonly isRecord: boolean
    /** True when its ids are numbers, GUIDs or words of the configuration, so that they are public. Absent = an id may name a person or a file. */
    readonly hasPlainIds?: true
  }
  /** True when the result can change without new data. Such a check passes only while the clocks agree. */
  readonly timeBased: boolean
  /** Greatest age of its inputs in milliseconds, in addition to their freshness limits. */
  readonly maxAgeMs?: number
  readonly own?: {
    readonly file: string
    readonly frameworks: readonly string[]
    /** Error of a broken file; null for a valid check. */
    readonly problem: string | null
  }
  /**
   * Fields of the evidence that a waiver accepts, `list.field` for a field of each element; the waiver lapses when one
   * changes. Absent = all fields except request ids, read times and thresholds. Excludes values that change with time.
   */
  readonly material?: readonly string[]
  /** Set when findings report drift, which an operator may accept: their evidence has `present` and `expectedFrom`. */
  readonly drift?: {
    /** The present state of every entity, stored once as its first accepted state; absent = the check derives that itself. */
    readonly states?: (reader: RecordReader) => Promise<ReadonlyMap<string, unknown>>
  }
}

export interface CheckAlert {
  /** Name of the failing case; the alert and its runbook are called `Tenantwatch<name>`. */
  readonly name: string
  /** Noun phrase for the failing entities, for the summary of the alert. */
  readonly says: string
}

export interface CheckContext {
  readonly knownDocumentStatuses: readonly (string | null)[]
  readonly optionsOf: (check: string) => Readonly<Record<string, unknown>>
  /** Inputs that are stale or lack records: an absent record may exist. */
  readonly incomplete: ReadonlySet<ResourceName>
  /** The client id of tenantwatch's own API client in lower case; null when not configured. */
  readonly ownClientId: string | null
  /** The accepted states of a check with `drift`, by entity; null before its first states are stored. */
  readonly accepted: () => Promise<ReadonlyMap<string, AcceptedState> | null>
}

export type RuleContext = Pick<CheckContext, 'knownDocumentStatuses' | 'optionsOf' | 'ownClientId'>

/** One entity that fails; times in the evidence are ISO 8601 in UTC. */
export interface Failure {
  readonly entityId: string
  readonly severity: Severity
  /** One sentence with dates instead of ages, which would change at each evaluation, and without person, e-mail or file. */
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
}

/** Why an entity cannot be evaluated: its records contradict each other, or are missing from the last complete full sync. */
export type NotEvaluatedReason = Extract<UnknownReason, 'ambiguous' | 'missing_records'>

/** Why an entity does not fail; `accepted` = an operator accepted its state. */
export type Scope = 'evaluated' | 'not_evaluated' | 'not_applicable' | 'accepted'

/** How many entities that cannot be evaluated are listed by id. */
export const maxUnevaluatedIds = 10

export interface Loaded<Candidate> {
  readonly population: number
  /** Entities that may fail, in batches to limit memory. */
  readonly candidates: AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>
  readonly notEvaluated?: number
  /** Absent = `ambiguous`. */
  readonly notEvaluatedFor?: NotEvaluatedReason
  /** At most `maxUnevaluatedIds` ids of entities that cannot be evaluated; absent when the ids are not public. */
  readonly unevaluated?: readonly string[]
  /** False when the check does not apply to this tenant or configuration. */
  readonly applicable?: boolean
  /** The scope of an entity whose open finding no longer fails; absent = all were evaluated. */
  readonly scope?: (entityId: string, evidence: Failure['evidence']) => Promise<Scope>
  /** True when the result of the same records can change with time; absent = `timeBased`. */
  readonly ages?: boolean
}

/** The definition of a check: `load` finds the rows that may fail, the pure `evaluate` decides and writes the message. */
export interface CheckSpec<Schema extends z.ZodObject, Candidate> extends CheckFacts {
  /** The check's own configuration; every option has a default. */
  readonly options: Schema
  /** One sentence about an assumption that the configuration does not confirm; null = none. */
  readonly assumption?: (options: z.output<Schema>) => string | null
  /** Further configuration that decides; part of the rule digest. */
  readonly ruleContext?: (context: RuleContext) => unknown
  load(reader: RecordReader, options: z.output<Schema>, now: number, context: CheckContext): Promise<Loaded<Candidate>>
  evaluate(candidate: Candidate, options: z.output<Schema>, now: number): Failure | null
}

export interface EvaluateInput {
  readonly reader: RecordReader
  readonly options: unknown
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly context: CheckContext
  /** Runs the query of an own check for the evaluated tenant. */
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
  /** True when the result of the same records can change with time. */
  readonly ages: boolean
  readonly rule: string
  /** Error of an own check about entities it could not evaluate; null when it evaluated all. */
  readonly notEvaluatedIds?: string | null
}

/** A check with the types of its options and candidates erased. */
export interface Check extends CheckFacts {
  readonly options: z.ZodObject
  /** Digest of the configuration that decides. A stored result with another digest is not shown. */
  ruleOf(options: unknown, context: RuleContext): string
  /** One sentence about an assumption that the configuration does not confirm; null = none. */
  assumption?(options: unknown): string | null
  /** Evaluates the mirrored records. Throws when the options do not fit or the mirror cannot be read. */
  evaluator(input: EvaluateInput): Promise<Evaluated>
}

/** Makes a check from its definition. */
export function defineCheck<Schema extends z.ZodObject, Candidate>(spec: CheckSpec<Schema, Candidate>): Check {
  const { load, evaluate, ruleContext, assumption, ...facts } = spec
  const digest = (options: unknown, context: RuleContext) =>
    digestOf([options, ruleContext?.(context) ?? null]).slice(0, 16)
  // Called at each scrape of each tenant with the same few objects of the configuration.
  const read = memoizeByObject((raw: unknown) => spec.options.parse(raw))
  const rules = memoizeByObject((_raw: unknown) => new Map<string, string>())
  return {
    ...facts,
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

/** Memoizes by object identity, weakly; computes the value of a primitive each time. */
function memoizeByObject<T>(make: (value: unknown) => T): (value: unknown) => T {
  const made = new WeakMap<object, { readonly value: T }>()
  return (key) => {
    if (typeof key !== 'object' || key === null) return make(key)
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

/** The resources that a check reads, the evaluated one first; none for a broken own check. */
export function inputsOf({ evaluates, needs, own }: CheckFacts): readonly ResourceName[] {
  return own === undefined || own.problem === null ? [evaluates, ...needs] : []
}
