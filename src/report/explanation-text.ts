import type { FindingView } from '../model/finding.ts'
import type { ExplainedChange, ExplainedEvent, ExplainedRecord, ExplainedRule, Explanation } from './explanation.ts'

/** An explanation as text, line by line. */
export function explanationText({ finding, rule, record, changes, life }: Explanation): readonly string[] {
  const { check, entity, severity, state, resolution, resolvedAt, firstSeen, lastSeen, reopened, evidence } = finding
  return [
    `${severity.toUpperCase()} ${check}: ${finding.message}`,
    '',
    `Fingerprint  ${finding.fingerprint}`,
    `Entity       ${entity.type} ${entity.id} of tenant ${finding.tenant}`,
    `State        ${state}${resolution === null ? '' : `: ${resolution} at ${resolvedAt ?? ''}`}`,
    `First seen   ${firstSeen}`,
    `Last seen    ${lastSeen}${reopened === 0 ? '' : `, reopened ${reopened === 1 ? 'once' : `${reopened} times`}`}`,
    ...waiverLines(finding.waiver),
    ...ruleLines(rule),
    '',
    'Evidence',
    ...Object.entries(evidence).map(([name, value]) => `  ${name}  ${JSON.stringify(value)}`),
    ...recordLines(record),
    ...(changes.length === 0 ? [] : ['', 'History of the entity', ...changes.map(changeLine)]),
    ...(life.length === 0 ? [] : ['', 'History of the finding', ...life.map(eventLine)]),
  ]
}

function ruleLines(rule: ExplainedRule | null): readonly string[] {
  if (rule === null) return ['Passes when  unknown: this version or configuration does not have the check']
  const { title, risk, remediation, configured } = rule
  return [
    `Passes when  ${title}`,
    `Risk         ${risk}`,
    `What to do   ${remediation}`,
    ...(configured === null ? ['Configured   the tenant is no longer configured'] : configuredLines(configured)),
  ]
}

function configuredLines(configured: NonNullable<ExplainedRule['configured']>): readonly string[] {
  const { enabled, severity, options, asEvaluated } = configured
  const words = [
    ...(enabled ? [] : ['switched off']),
    ...Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...(severity === null ? [] : [`severity ${severity}`]),
  ]
  return [
    `Configured   ${words.length === 0 ? 'no options' : words.join(', ')}`,
    ...(asEvaluated ? [] : ['             changed since the last evaluation']),
  ]
}

function recordLines(record: ExplainedRecord | null): readonly string[] {
  if (record === null) return []
  const { resource, fields, extra, firstSeen, readAt, requestId, absent } = record
  const absence = absent ? ', absent from the last complete full sync' : ''
  return [
    '',
    `As mirrored in ${resource}, first seen ${firstSeen}, read ${readAt} (request ${requestId ?? 'unknown'})${absence}`,
    ...Object.entries({ ...fields, ...extra }).map(([name, value]) => `  ${name}  ${JSON.stringify(value)}`),
  ]
}

function changeLine({ at, change, field, before, after, requestId }: ExplainedChange): string {
  const what = field === null ? change : `${field} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`
  return `  ${at}  ${what}  (request ${requestId ?? 'unknown'})`
}

function eventLine({ at, event, severity, message, resolution }: ExplainedEvent): string {
  return resolution === null ? `  ${at}  ${event}, ${severity}: ${message}` : `  ${at}  ${event}: ${resolution}`
}

/** The waiver of a finding. */
function waiverLines(waiver: FindingView['waiver']): readonly string[] {
  if (waiver === null) return []
  const { id, owner, reason, expires, explanation } = waiver
  return [
    `Waiver       ${id} of ${owner}, until ${expires}: ${reason}`,
    ...(explanation === null ? [] : [`             ${explanation}`]),
  ]
}
