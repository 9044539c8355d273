import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { type Check, ruleContextOf, settingsOf } from '../evaluate/check.ts'
import { type OperatorDecision, readDecisions } from '../evaluate/decisions.ts'
import { entityWords, namesIn } from '../model/entity-names.ts'
import { driftIdIn, type FindingView } from '../model/finding.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { valueWithoutDetails } from '../model/text/redact.ts'
import { toIso } from '../model/time.ts'
import { hidePatterns, withHiddenNames } from '../resources/redact-finding.ts'
import type { Mirror } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { personalFields, withoutChangeDetails } from '../store/records/record-shape.ts'
import { factName } from '../web/page/html.ts'
import {
  eventLines,
  explainedWaivers,
  type ReportDecision,
  readLife,
  reportDecision,
  waiverEvents,
  waiverLine,
} from './life.ts'
import { changedField, reopenedWords } from './words.ts'

export type Explanation = Awaited<ReturnType<typeof explanationOf>>

/**
 * All that is known about a finding: rule, evidence, record, and what happened, oldest first.
 *
 * @param details false hides values that may name a person or a file.
 */
export async function explanationOf(
  { mirror, settings }: { readonly mirror: Mirror; readonly settings: Settings },
  finding: FindingView,
  details: boolean,
) {
  const check = checksOf(settings).find(({ id }) => id === finding.check)
  const row = (await mirror.tenants()).find(({ name }) => name === finding.tenant)
  const key = check === undefined ? null : recordKey(check, finding)
  const known = check !== undefined && row !== undefined && key !== null
  const record = known ? await mirror.record(row.id, check.evaluates, key) : null
  const changes = known ? await mirror.records(row.id).history(check.evaluates, record?.key ?? key) : []
  const isOneField = check?.entity.type === 'authentication-setting'
  const decisions = row === undefined ? [] : await readDecisions(mirror, row.id)
  return {
    finding: details ? finding : withHiddenNames(finding),
    /** Null when this version or configuration does not have the check. */
    rule: check === undefined ? null : ruleOf(check, settings, finding, details),
    /** The mirrored record of the entity; null when it is removed, or when the entity consists of several records. */
    record: check === undefined || record === null ? null : toRecord(check.evaluates, record, details),
    changes: changes
      .filter(({ field }) => !isOneField || field === finding.entity.id)
      .map((one) => (details ? one : withoutChangeDetails(one)))
      .map(({ at, kind: change, field, before, after, requestId }) => {
        return { at: toIso(at), change, field, before, after, requestId }
      }),
    /** States of the entity that operators accepted. */
    accepted: decisions.filter((one) => isDriftOf(one, finding)).map((one) => reportDecision(one, details)),
    life: row === undefined ? [] : await readLife(mirror, row.id, finding, details),
    waivers: row === undefined ? [] : explainedWaivers(await waiverEvents(mirror, row.id), finding, details),
  }
}

function isDriftOf(decision: OperatorDecision, { check, entity }: FindingView): boolean {
  return decision.accepted === 'drift' && decision.check === check && decision.entityId === entity.id
}

/** The key of the record that contains the entity; null when the entity consists of several records. */
function recordKey({ entity, evaluates }: Check, finding: FindingView): string | null {
  if (entity.isRecord) return finding.entity.id
  return evaluates === 'authentication-settings' && !entity.type.startsWith('entity') ? '0' : null
}

/** The rule of a finding, as configured now. */
function ruleOf(check: Check, settings: Settings, finding: FindingView, details: boolean) {
  const { title, description, risk, remediation } = check
  const tenant = settings.tenants.find(({ name }) => name === finding.tenant)
  const facts = { title, description, risk, remediation }
  // The tenant is no longer configured.
  if (tenant === undefined) return { ...facts, configured: null }
  const { enabled, severity, options } = settingsOf(check, tenant)
  const evaluatedBy = finding.evidence['rule']
  const asEvaluated = evaluatedBy === undefined || evaluatedBy === check.ruleOf(options, ruleContextOf(tenant))
  const shown = details ? options : hidePatterns(options)
  /** `asEvaluated`: false when options changed since the finding was evaluated. */
  return { ...facts, configured: { enabled, severity, options: shown, asEvaluated } }
}

/** With time and request id of the answer with the current values. */
function toRecord(resource: ResourceName, record: MirrorRecord, details: boolean) {
  const { fields, extra, firstSeenAt, readAt, requestId, absent } = record
  const times = { firstSeen: toIso(firstSeenAt), readAt: toIso(readAt) }
  const shown = (facts: Readonly<Record<string, unknown>>, personal: readonly string[]) =>
    Object.fromEntries(
      Object.entries(facts).map(([name, one]) => [
        name,
        details ? one : valueWithoutDetails(one, personal.includes(name)),
      ]),
    )
  return {
    resource,
    fields: shown(fields, personalFields(resource)),
    // A field that the specification does not name may be a name, too.
    extra: extra && shown(extra, Object.keys(extra)),
    ...times,
    requestId,
    /** True when the record was absent from the last complete full sync. */
    absent,
  }
}

/** For a terminal, a line each. */
export function explanationText(explanation: Explanation): readonly string[] {
  const { finding, rule, record, changes, accepted, life, waivers } = explanation
  const { check, entity, severity, state, resolution, resolvedAt, lastSeen, reopened, evidence, waiver } = finding
  const seen = `${lastSeen}${resolution === null ? ' (written at most every 5 minutes)' : ''}`
  return [
    `${severity.toUpperCase()} ${check}: ${finding.message}`,
    '',
    ...labelled({
      Fingerprint: finding.fingerprint,
      'Drift id': driftIdIn(finding),
      Entity: `${entityWords(entity).join(' ')} of tenant ${finding.tenant}`,
      Name: namesIn(entity),
      Portal: finding.link,
      Owner: finding.owner,
      State: resolution === null ? state : `${state}: ${resolution} at ${resolvedAt ?? ''}`,
      'First seen': finding.firstSeen,
      'Last seen': reopened === 0 ? seen : `${seen}, ${reopenedWords(reopened)}`,
      Waiver: waiver && [
        `${waiver.id} of ${waiver.owner}, until ${waiver.expires}: ${waiver.reason}`,
        ...(waiver.explanation === null ? [] : [waiver.explanation]),
      ],
      'Passes when': rule?.title ?? 'unknown: this version or configuration does not have the check',
      Risk: rule?.risk,
      'What to do': state === 'resolved' ? null : rule?.remediation,
      Configured: rule && configuredWords(rule.configured),
    }),
    ...section('Evidence', factLines(evidence, factName)),
    ...recordLines(record),
    ...section('History of the entity', changes.map(changeLine)),
    ...section('Accepted by operators', accepted.map(acceptedLine)),
    ...section(
      'History of the finding',
      life.length === 0 ? [] : [...eventLines(life), ...waivers.map(waiverLine)].toSorted(byTime),
    ),
  ]
}

/** A line for each value, or for each of a list below one label; none for what is not known. */
function labelled(values: Readonly<Record<string, string | readonly string[] | null | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([label, value]) =>
    [value ?? []].flat().map((line, i) => `${(i === 0 ? label : '').padEnd(13)}${line}`),
  )
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

/** Lines begin with their time. */
function byTime(a: string, b: string): number {
  const timeOf = (line: string) => Date.parse(line.trimStart().split(' ')[0] ?? '')
  return timeOf(a) - timeOf(b)
}

/** One line for each fact, or for each member of a list of objects; JSON with spaces, so that lines can be broken. */
function factLines(
  facts: Readonly<Record<string, unknown>>,
  labelOf: (name: string) => string = (name) => name,
): readonly string[] {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  const labelled = Object.entries(facts).map(([name, value]) => [labelOf(name), value] as const)
  const width = Math.max(...labelled.map(([label]) => label.length))
  return labelled.flatMap(([label, value]) =>
    Array.isArray(value) && value.some(isObject)
      ? [`  ${label}`, ...value.map((one) => `    ${spacedJson(one)}`)]
      : [`  ${label.padEnd(width)}  ${spacedJson(value)}`],
  )
}

/** On one line: the only line breaks are those of the layout. */
function spacedJson(value: unknown): string {
  return String(JSON.stringify(value, null, 1))
    .replace(/(?<=[[{])\n *|\n *(?=[\]}])/g, '')
    .replace(/\n */g, ' ')
}

function configuredWords(configured: NonNullable<Explanation['rule']>['configured']): readonly string[] {
  if (configured === null) return ['the tenant is no longer configured']
  const { enabled, severity, options, asEvaluated } = configured
  const words = Object.entries(options).map(
    ([name, one]) => `${name} ${one === null ? 'not set' : JSON.stringify(one)}`,
  )
  if (!enabled) words.unshift('switched off')
  if (severity !== null) words.push(`severity ${severity}`)
  const text = words.length === 0 ? 'by default; the check has no options' : words.join(', ')
  return asEvaluated ? [text] : [text, 'changed since the last evaluation']
}

function recordLines(record: Explanation['record']): readonly string[] {
  if (record === null) return []
  const { resource, fields, extra, firstSeen, readAt, requestId, absent } = record
  const absence = absent ? ', absent from the last complete full sync' : ''
  return section(
    `As mirrored in ${resource}, first seen ${firstSeen}, in this state since the reading of ${readAt} (request ${requestId ?? 'unknown'})${absence}`,
    factLines({ ...fields, ...extra }),
  )
}

function changeLine({ at, change, field, before, after, requestId }: Explanation['changes'][number]): string {
  const what = field === null ? change : changedField(field, before, after)
  return `  ${at}  ${what}  (request ${requestId ?? 'unknown'})`
}

function acceptedLine({ at, what, reason, by }: ReportDecision): string {
  return `  ${at}  ${what}: ${reason}${by === null ? '' : ` (${by})`}`
}
