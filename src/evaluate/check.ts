import type { z } from 'zod'
import type { AcceptedState, NoAnswer, OwnAnswer, OwnQuery } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import type { UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import { digestOf } from './digest.ts'

/** What a check is, for people and for the engine. */
export interface CheckFacts {
  /** `<resource>-<practice>`; also the name of the check's file. */
  readonly id: string
  /** One sentence that states the passing case. */
  readonly title: string
  readonly description: string
  /** What can happen where it fails. */
  readonly risk: string
  readonly remediation: string
  /** Its alert; null where something finer than the number of its findings is alerted on. */
  readonly alert: CheckAlert | null
  /** The severities its findings can have, mildest first. */
  readonly severities: readonly Severity[]
  /** The resource whose records make up the population. */
  readonly evaluates: ResourceName
  /** Further resources that must have been read in full and be fresh. */
  readonly needs: readonly ResourceName[]
  readonly entity: {
    readonly type: string
    /** True when entity ids are record keys of the evaluated resource; otherwise the entity is derived from all of them. */
    readonly isRecord: boolean
    /** True when its ids are numbers, GUIDs or words of the configuration: they may be shown to everybody. Absent = they may name a person or a file. */
    readonly hasPlainIds?: true
  }
  /** True when a check result can change without any new data: the clocks must agree for it to pass. */
  readonly timeBased: boolean
  /** How old its inputs may be, in milliseconds, where that is less than their freshness limits. */
  readonly maxAgeMs?: number
  /** Set when an operator wrote it. */
  readonly own?: {
    /** Name of its file. */
    readonly file: string
    readonly frameworks: readonly string[]
    /** Why it is no check at all; null when it is one. */
    readonly problem: string | null
  }
  /**
   * Fields of the evidence that a waiver accepts with a finding, `list.field` for one of each element: when one of them
   * changes, the waiver covers the finding no longer. Absent = every fact but how it was learnt and thresholds. What
   * grows by itself, as days, must not be among them.
   */
  readonly material?: readonly string[]
  /** Set when findings tell of drift, which an operator may accept: their evidence has `present` and `expectedFrom`. */
  readonly drift?: {
    /** The present state of every entity, which the engine keeps once as the first accepted one; absent = the check knows it. */
    readonly states?: (reader: RecordReader) => Promise<ReadonlyMap<string, unknown>>
  }
}

/** How the findings of a check are alerted on. */
export interface CheckAlert {
  /** Names the failing case; the alert and its runbook are called `Tenantwatch<name>`. */
  readonly name: string
  /** The entities that fail, in words that a tenant and a number can follow. */
  readonly says: string
}

/** What a check is told beside its own options. */
export interface CheckContext {
  /** `documents.knownStatuses` of the tenant. */
  readonly knownDocumentStatuses: readonly (string | null)[]
  /** The options of another check, as configured. */
  readonly optionsOf: (check: string) => Readonly<Record<string, unknown>>
  /** Inputs of which something is not known now, as unreadable records or what came since they went stale: what seems absent there may exist. */
  readonly incomplete: ReadonlySet<ResourceName>
  /** The API client that the daemon itself is, in lower case; null when that is not configured. */
  readonly ownClientId: string | null
  /** The accepted states of a check with `drift`, by entity; null while its first ones are not kept. */
  readonly accepted: () => Promise<ReadonlyMap<string, AcceptedState> | null>
}

/** The part of what a check is told that is configuration. */
export type RuleContext = Pick<CheckContext, 'knownDocumentStatuses' | 'optionsOf' | 'ownClientId'>

/** One entity that fails; times in the evidence are ISO 8601 in UTC. */
export interface Failure {
  readonly entityId: string
  readonly severity: Severity
  /**
   * One sentence for an auditor. It names dates, not ages (else it would be rewritten at each evaluation), and no
   * person, e-mail or file.
   */
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
}

/** Why an entity cannot be evaluated: what is mirrored tells two things, or only what the last complete full sync did not show tells it. */
export type NotEvaluatedReason = Extract<UnknownReason, 'ambiguous' | 'missing_records'>

/** How an entity that does not fail stands to the check; `accepted` = it would, had an operator not decided otherwise. */
export type Scope = 'evaluated' | 'not_evaluated' | 'not_applicable' | 'accepted'

/** So many of the entities that cannot be evaluated are told by id. */
export const maxUnevaluatedIds = 10

/** What a check wants evaluated. */
export interface Loaded<Candidate> {
  /** How many entities the check is about. */
  readonly population: number
  /** Everything that may fail; handed over in batches so that a million do not meet in memory. */
  readonly candidates: AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>
  /** How many entities cannot be evaluated from what is mirrored. */
  readonly notEvaluated?: number
  /** Why they cannot; `ambiguous` when absent. */
  readonly notEvaluatedFor?: NotEvaluatedReason
  /** Ids of entities that cannot be evaluated, at most `maxUnevaluatedIds`; absent where they have none that may be told. */
  readonly unevaluated?: readonly string[]
  /** False when the tenant's own facts or the configuration say that there is nothing to evaluate. */
  readonly applicable?: boolean
  /** Asked of entities with an open finding that no longer fail; absent = all were evaluated. */
  readonly scope?: (entityId: string, evidence: Failure['evidence']) => Promise<Scope>
  /** True when the same records may be evaluated otherwise at another time; absent = as `timeBased` says. */
  readonly ages?: boolean
}

/** A check as its file writes it: `load` finds the rows that may fail, the pure `evaluate` decides and words. */
export interface CheckSpec<Schema extends z.ZodObject, Candidate> extends CheckFacts {
  /** The check's own configuration, with defaults for everything. */
  readonly options: Schema
  /** One sentence on what these options assume without anybody having said so; null = nothing. */
  readonly assumption?: (options: z.output<Schema>) => string | null
  /** What decides beside the options; part of the rule's digest. */
  readonly ruleContext?: (context: RuleContext) => unknown
  load(reader: RecordReader, options: z.output<Schema>, now: number, context: CheckContext): Promise<Loaded<Candidate>>
  evaluate(candidate: Candidate, options: z.output<Schema>, now: number): Failure | null
}

export interface EvaluateInput {
  readonly reader: RecordReader
  /** As configured; the check's own schema reads it. */
  readonly options: unknown
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly context: CheckContext
  /** Answers the query of an own check over the tenant that is evaluated. */
  readonly ask?: (query: Omit<OwnQuery, 'now' | 'tenant'>) => Promise<OwnAnswer | NoAnswer>
}

/** What a check says of the mirrored records. */
export interface Evaluated {
  readonly applicable: boolean
  readonly population: number
  readonly notEvaluated: number
  readonly notEvaluatedFor: NotEvaluatedReason
  /** Some of them by id. */
  readonly unevaluated?: readonly string[]
  /** In batches, as the candidates were handed over. */
  readonly failures: AsyncIterable<readonly Failure[]>
  readonly scope: (entityId: string, evidence: Failure['evidence']) => Promise<Scope>
  /** True when the same records may be evaluated otherwise at another time. */
  readonly ages: boolean
  /** Digest of everything configurable that decided. */
  readonly rule: string
  /** What an own check says of the entities that it could not evaluate; null when it evaluated all. */
  readonly notEvaluatedIds?: string | null
}

/** A check as the engine sees it, whatever its options and candidates are. */
export interface Check extends CheckFacts {
  readonly options: z.ZodObject
  /** Digest of everything configurable that decides: a check result under another one says nothing of this one. */
  ruleOf(options: unknown, context: RuleContext): string
  /** One sentence on what these options assume without anybody having said so; null = nothing. */
  assumption?(options: unknown): string | null
  /** Evaluates the mirrored records. Throws when the options do not fit or the mirror cannot be read. */
  evaluator(input: EvaluateInput): Promise<Evaluated>
}

/** Makes a check of its description; the types of its options and candidates stay inside. */
export function defineCheck<Schema extends z.ZodObject, Candidate>(spec: CheckSpec<Schema, Candidate>): Check {
  const { load, evaluate, ruleContext, assumption, ...facts } = spec
  const digest = (options: unknown, context: RuleContext) =>
    digestOf([options, ruleContext?.(context) ?? null]).slice(0, 16)
  // Asked at each scrape of each tenant, always of the same few objects of the configuration.
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

/** Makes something of an object once and keeps it as long as the object; of anything else each time anew. */
function memoizeByObject<T>(make: (value: unknown) => T): (value: unknown) => T {
  const made = new WeakMap<object, { readonly value: T }>()
  return (key) => {
    if (typeof key !== 'object' || key === null) return make(key)
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

/** The inputs of a check: what it evaluates first, then what it needs; none of what is no check. */
export function inputsOf({ evaluates, needs, own }: CheckFacts): readonly ResourceName[] {
  return own === undefined || own.problem === null ? [evaluates, ...needs] : []
}
