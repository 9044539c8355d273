import { hash } from 'node:crypto'
import * as z from 'zod'
import type { OwnCheck, OwnChecksSettings, WellFormedCheck } from '../../config/own-checks.ts'
import { type Check, type CheckFacts, CheckFailed, type Outcome, type QueryOutcomes } from '../../evaluate/check.ts'
import { digestOf } from '../../evaluate/digest.ts'
import type { EntityReason, OwnAnswer, OwnQuery } from '../../evaluate/own-query.ts'
import { printable } from '../../model/text/printable.ts'

const longestSentence = 1000
const longestEntity = 500

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
    async query(run) {
      const answer = await run(queryOf(check, limits))
      if (answer.kind === 'failed') {
        const problem = `${file}: ${printable(answer.problem, longestSentence)}`
        throw new CheckFailed(problem)
      }
      return outcomesOf(check, answer)
    },
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
    async query() {
      throw new CheckFailed(`${printable(file, 200)}: ${printable(problem, longestSentence)}`)
    },
  }
}

export function outcomesOf(check: WellFormedCheck, { ok, alarms, errors, skipped }: OwnAnswer): QueryOutcomes {
  const { severity, file } = check
  const failing = alarms.map(([entity, reason]): [string, Outcome] => {
    const message = printable(reason, longestSentence)
    return [nameOf(entity), { kind: 'fails', severity, message, evidence: { ownCheck: file, reason: message } }]
  })
  const unclear = errors.map(([entity]): [string, Outcome] => [nameOf(entity), { kind: 'not_evaluated' }])
  const others = skipped.map((entity): [string, Outcome] => [nameOf(entity), notApplicable])
  return { ok, outcomes: [...others, ...unclear, ...failing], problem: dataWarningsOf(file, errors) }
}

const notApplicable: Outcome = { kind: 'ok', outside: true, resolution: 'not_applicable' }

function dataWarningsOf(file: string, errors: readonly EntityReason[]): string | null {
  const [first] = errors
  if (first === undefined) return null
  const [entity, reason] = first
  const many = errors.length === 1 ? 'the entity' : `${errors.length} entities, such as`
  return `${file}: it cannot evaluate ${many} ${printable(entity, 80)}: ${printable(reason, longestSentence)}`
}

/** The entity id of a finding; a long name is cut and ends in its hash, so that ids stay distinct. */
function nameOf(entity: string): string {
  if (entity.length <= longestEntity) return entity.toWellFormed()
  return `${entity.slice(0, longestEntity).toWellFormed()}… (${hash('sha256', entity).slice(0, 16)})`
}
