import * as z from 'zod'
import type { OwnCheck, OwnChecksSettings, WellFormedCheck } from '../../config/own-checks.ts'
import type { Check, CheckFacts } from '../../evaluate/check.ts'
import { digestOf } from '../../evaluate/digest.ts'
import type { OwnQuery } from '../../evaluate/own-query.ts'
import { printable } from '../../model/text/printable.ts'

/** The own checks of a configuration; a broken file becomes a check that always fails to evaluate. */
export function ownChecks({ checks, ...limits }: OwnChecksSettings): readonly Check[] {
  return checks.map((check) => (check.problem === null ? toCheck(check, limits) : brokenCheck(check)))
}

export function queryOf(
  { query: text, inputs }: WellFormedCheck,
  { timeoutMs, maxRows }: Pick<OwnChecksSettings, 'timeoutMs' | 'maxRows'>,
): Omit<OwnQuery, 'now' | 'tenant'> {
  return { text, inputs, timeoutMs, maxRows }
}

const notStated = 'Not stated in the file of the check.'

function toCheck(check: WellFormedCheck, limits: Pick<OwnChecksSettings, 'timeoutMs' | 'maxRows'>): Check {
  const { id, title, severity, inputs, file, frameworks, timeBased, maxAgeMs, query } = check
  const [evaluates = 'users', ...needs] = inputs
  const rule = digestOf([query, inputs, check.entity]).slice(0, 16)
  return {
    ...shared,
    id,
    title,
    failing: `Fails: ${title}`,
    description: check.description ?? `An own check of this installation, in ${file}.`,
    risk: check.risk ?? notStated,
    remediation: check.remediation ?? notStated,
    severities: [severity],
    evaluates,
    needs,
    entity: { type: check.entity, isRecord: false },
    timeBased,
    ...(maxAgeMs !== null && { maxAgeMs }),
    frameworks,
    own: { file, problem: null },
    ruleOf: () => rule,
    query: queryOf(check, limits),
  }
}

const shared = {
  alert: null,
  material: ['reason'],
  options: z.strictObject({}),
} satisfies Partial<CheckFacts & Pick<Check, 'options'>>

/** The check of a file that is unreadable or contains no valid check. */
export function brokenCheck({ id, file, problem }: Extract<OwnCheck, { readonly problem: string }>): Check {
  return {
    ...shared,
    id,
    title: `The own check in ${printable(file, 200)} can be evaluated`,
    description: 'The file contains no valid check.',
    risk: notStated,
    remediation: 'Correct the file; "tenantwatch config check" names the error.',
    severities: [],
    evaluates: 'users',
    needs: [],
    entity: { type: 'entity', isRecord: false },
    timeBased: false,
    frameworks: [],
    own: { file, problem },
    ruleOf: () => 'broken',
  }
}
