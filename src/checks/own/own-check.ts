import * as z from 'zod'
import type { OwnCheck, OwnChecksSettings } from '../../config/own-checks.ts'
import type { Check } from '../../evaluate/check.ts'
import { digestOf } from '../../evaluate/digest.ts'
import type { OwnQuery } from '../../evaluate/own-query.ts'

/** The own checks of a configuration. */
export function ownChecks({ checks, ...limits }: OwnChecksSettings): readonly Check[] {
  return checks.map((check) => toCheck(check, limits))
}

export function queryOf(
  { query: text, inputs }: OwnCheck,
  { timeoutMs, maxRows }: Pick<OwnChecksSettings, 'timeoutMs' | 'maxRows'>,
): Omit<OwnQuery, 'now' | 'tenant'> {
  return { text, inputs, timeoutMs, maxRows }
}

const notStated = 'Not stated in the file of the check.'

function toCheck(check: OwnCheck, limits: Pick<OwnChecksSettings, 'timeoutMs' | 'maxRows'>): Check {
  const { id, title, severity, inputs, file, frameworks, timeBased, maxAgeMs, query } = check
  const [evaluates = 'users', ...needs] = inputs
  const rule = digestOf([query, inputs, check.entity]).slice(0, 16)
  return {
    id,
    title,
    failing: `Fails: ${title}`,
    description: check.description ?? `An own check of this installation, in ${file}.`,
    risk: check.risk ?? notStated,
    remediation: check.remediation ?? notStated,
    severities: [severity],
    evaluates,
    needs,
    alert: null,
    entity: { type: check.entity, isRecord: false },
    material: ['reason'],
    timeBased,
    ...(maxAgeMs !== null && { maxAgeMs }),
    frameworks,
    options: z.strictObject({}),
    own: { file },
    ruleOf: () => rule,
    query: queryOf(check, limits),
  }
}
