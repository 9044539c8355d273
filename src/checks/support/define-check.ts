import * as z from 'zod'
import type { Check, CheckContext, CheckFacts, CheckOptions, Evaluator, RuleContext } from '../../evaluate/check.ts'
import { digestOf } from '../../evaluate/digest.ts'
import { entityTypeOf } from '../../model/entity-names.ts'
import { memoize, memoizeWeakly } from '../../model/memoize.ts'
import type { Severity } from '../../model/severity.ts'
import { requirementsIn } from '../frameworks.ts'

type Defaulted = 'entity' | 'needs' | 'timeBased'

/** A check as its file describes it. Without `entity`, it is about the records of the resource that it evaluates. */
export interface CheckSpec<Schema extends z.ZodObject>
  extends Omit<CheckFacts, Defaulted | 'frameworks'>,
    Partial<Pick<CheckFacts, Defaulted>> {
  /** Requirements of `frameworks.json` that the check is evidence for, such as `soc2 CC6.1 CC6.3, cis 6.8`. */
  readonly frameworks: string
  /** Every option has a default. */
  readonly options?: Schema
  readonly isConfigured?: (options: z.output<Schema>) => boolean
  readonly assumption?: (options: z.output<Schema>) => string | null
  readonly alertThresholds?: (options: z.output<Schema>) => Readonly<Partial<Record<Severity, number>>>
  readonly comparesReads?: (options: z.output<Schema>) => number
  readonly ruleContext?: (context: RuleContext) => unknown
  begin(options: z.output<Schema>, context: CheckContext): Evaluator
}

const noOptions = z.strictObject({})

export function defineCheck<Schema extends z.ZodObject = typeof noOptions>(spec: CheckSpec<Schema>): Check {
  const { begin, ruleContext, isConfigured, assumption, alertThresholds, comparesReads, ...facts } = spec
  const schema = spec.options ?? noOptions
  // Memoized, because each scrape parses the same few configuration objects for each tenant.
  const optionsOf = memoizeWeakly((raw: CheckOptions) => schema.parse(raw) as z.output<Schema>)
  const rulesOf = memoizeWeakly((raw: CheckOptions) =>
    memoize((context: string) => digestOf([optionsOf(raw), JSON.parse(context)]).slice(0, 16)),
  )
  return {
    needs: [],
    timeBased: false,
    entity: { type: entityTypeOf(spec.evaluates), isRecord: true },
    ...facts,
    options: schema,
    frameworks: requirementsIn(spec.frameworks),
    ...(isConfigured && { isConfigured: (raw) => isConfigured(optionsOf(raw)) }),
    ...(assumption && { assumption: (raw) => assumption(optionsOf(raw)) }),
    ...(alertThresholds && { alertThresholds: (raw) => alertThresholds(optionsOf(raw)) }),
    ...(comparesReads && { comparesReads: (raw) => comparesReads(optionsOf(raw)) }),
    ruleOf: (raw, context) => rulesOf(raw)(JSON.stringify(ruleContext?.(context) ?? null)),
    begin: (raw, context) => begin(optionsOf(raw), context),
  }
}
