import { Option } from 'commander'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { recordOf } from '../daemon/evaluator.ts'
import { type Check, inputsOf } from '../evaluate/check.ts'
import {
  checksUnknownBy,
  describeFinding,
  describeHold,
  describeUnknown,
  describeWaivers,
  findingState,
  inWords,
} from '../model/describe.ts'
import { entityWords } from '../model/entity-names.ts'
import { UsageError } from '../model/errors.ts'
import { driftIdIn, type FindingView, findingColumns, findingStates, shortFingerprint } from '../model/finding.ts'
import { ownerNames } from '../model/owners.ts'
import type { TenantPosture } from '../model/posture.ts'
import { moreMayFail } from '../model/posture-state.ts'
import { exitCodes } from '../model/process/io.ts'
import { highestFirst, type Severity, severities, total } from '../model/severity.ts'
import { mapped, toMinute } from '../model/text/formats.ts'
import { plural } from '../model/text/words.ts'
import { type FindingGroup, FindingTotals, groupColumns, groupings, groupsOf } from '../report/finding-groups.ts'
import { complianceFinding, ocsfVersion } from '../report/ocsf.ts'
import { withHiddenNames } from '../resources/redact-finding.ts'
import type { FindingQuery } from '../web/web-options.ts'
import { addList, type Listing } from './list.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { exitCodeOf } from './support/exit-code.ts'
import {
  chosenSeverities,
  configuredTenant,
  detailsOption,
  failOnOption,
  oneOf,
  readSince,
  type SeverityOptions,
  severityOptions,
  tenantOption,
} from './support/options.ts'

interface FindingFilterOptions extends SeverityOptions {
  readonly all?: boolean
  readonly tenant?: string | undefined
  readonly check?: string | undefined
  readonly owner?: string | undefined
  readonly since?: string
}

interface FindingsOptions extends FindingFilterOptions {
  readonly group?: 'check' | 'entity'
  readonly details?: boolean
  readonly failOn?: Severity
}

export const addFindings = addList<FindingsOptions>({
  name: 'findings',
  summary: 'list open findings that are not waived',
  formats: ['table', 'json', 'ndjson', 'csv', 'ocsf'],
  options: [
    new Option('--all', 'include waived and resolved findings'),
    tenantOption(),
    new Option('--check <check>', 'only findings of this check'),
    new Option('--owner <name>', 'only findings of this owner'),
    ...severityOptions(),
    new Option('--since <time>', 'only those that were opened, changed, reopened or resolved since then'),
    new Option('--group <by>', 'counts instead of findings').choices(groupings).conflicts('details'),
    detailsOption(),
    failOnOption(),
  ],
  help: `Works beside a running engine. Checks that are unknown are named on standard
error. Without --details users and documents are named by id, and values of the
evidence that may name a person or a file are [hidden].

With --fail-on: 1 = findings at or above it, 3 = a hold or an unknown check; the
last line on standard error is the cause.

--since is a time such as 2026-03-31 or 2026-03-31T18:00:00Z, or 7d ago. ocsf is
one event a line, Compliance Finding (2003) of schema version ${ocsfVersion}.

Examples:
  tenantwatch findings --min-severity high --fail-on high
  tenantwatch findings --severity critical,medium --check user-mfa-enrolled
  tenantwatch findings --all --since 7d --format csv --output findings.csv
  tenantwatch findings --group check`,
  async run({ io, command, options, present }) {
    const { group, format, details = false, failOn, all = false } = options
    if (group !== undefined && format === 'ocsf') throw new UsageError('--group has no form ocsf')
    await using opened = await openMirror(io, command)
    const { settings, views, now } = opened
    const checks = checksOf(settings)
    const query = findingQuery(options, settings, checks, now)
    const postures = await views.posture(query.tenant)
    const wanted = postures.map((posture) => within(posture, checks, query.check))
    const notes = wanted.flatMap((one) => [...notesOf(one, query)])
    notes.push(...(await changeNotes(opened)))
    const exit = failOn === undefined ? null : exitCodeOf({ results: [], postures: wanted, failOn })
    if (exit?.cause != null) notes.push(exit.cause)
    const counted = new FindingTotals()
    const found = counted.of(views.findings({ ...query, order: 'severity', withPersonal: details }))
    const isKnown = wanted.every(
      (one) => describeUnknown(one) === null && one.checks.every((view) => !moreMayFail(view)),
    )
    const none = isKnown ? `No ${all ? '' : 'open '}findings.` : 'No open findings are known.'
    const shared = { none, summary: () => counted.inWords(), notes, code: exit?.code ?? exitCodes.ok }
    if (group !== undefined) return await present(groupList(await groupsOf(found, group), shared))
    const shown = details ? found : mapped(found, withHiddenNames)
    const checkOf = (one: FindingView) => checks.find(({ id }) => id === one.check)
    const ocsf = format === 'ocsf' ? { object: (one: FindingView) => complianceFinding(one, checkOf(one)) } : {}
    return await present({ ...findingList(shown, details), ...shared, ...ocsf })
  },
})

function findingList(rows: Listing<FindingView>['rows'], details: boolean): Omit<Listing<FindingView>, 'none'> {
  return {
    rows,
    columns: findingColumns(details),
    object: (finding) => finding,
    table: {
      SEVERITY: ({ severity }) => severity.toUpperCase(),
      ID: (finding) => driftIdIn(finding) ?? shortFingerprint(finding.fingerprint),
      TENANT: ({ tenant }) => tenant,
      STATE: (finding) => (findingState(finding) === 'open' ? '' : findingState(finding)),
      CHECK: ({ check }) => check,
      OWNER: ({ owner }) => owner,
      'FIRST SEEN': ({ firstSeen }) => toMinute(firstSeen),
      FINDING: (finding) => describeFinding(finding).text,
    },
    optional: ['TENANT', 'FIRST SEEN', 'OWNER', 'CHECK'],
    lines: 2,
  }
}

function groupList(
  rows: readonly FindingGroup[],
  shared: Pick<Listing<FindingGroup>, 'none' | 'summary' | 'notes' | 'code'>,
): Listing<FindingGroup> {
  return {
    ...shared,
    rows,
    columns: groupColumns,
    object: (group) => group,
    table: {
      TENANT: ({ tenant }) => tenant,
      FINDINGS: ({ findings }) => findings,
      'FIRST SEEN': ({ firstSeen }) => toMinute(firstSeen),
      'CHECK OR ENTITY': ({ check, entity }) => check ?? (entity === null ? '' : entityWords(entity).join(' ')),
      SEVERITIES: ({ severities: counts }) =>
        highestFirst.flatMap((one) => (counts[one] > 0 ? [`${counts[one]} ${one}`] : [])).join(', '),
    },
    optional: ['TENANT', 'FIRST SEEN'],
  }
}

/** What applies of a configuration that was not evaluated yet. */
export async function changeNotes({ settings, mirror, now }: OpenMirror): Promise<readonly string[]> {
  const evaluated = await (await mirror.past(now, true)).configuration()
  if (evaluated === null || (await recordOf(settings, 0)).digest === evaluated.digest) return []
  return [
    'The configuration differs from that of the last evaluation; waivers, owners and links already apply here, other changes apply after the next sync or reload.',
  ]
}

/** Limits notes and exit code to the wanted check, and holds to those of resources that it reads. */
export function within(posture: TenantPosture, known: readonly Check[], wanted: string | undefined): TenantPosture {
  const check = known.find(({ id }) => id === wanted)
  if (check === undefined) return posture
  const inputs = inputsOf(check)
  return {
    ...posture,
    checks: posture.checks.filter((one) => one.check === check.id),
    holds: posture.holds.filter(({ resource }) => resource === 'all' || inputs.includes(resource)),
    waivers: posture.waivers.filter((one) => one.check === check.id),
  }
}

/** An empty list must not look like a pass. */
export function* notesOf(
  posture: TenantPosture,
  { states = [], check, severities: wanted = severities }: FindingQuery,
): Generator<string> {
  const { tenant, checks, holds, waivers, at } = posture
  const all = states.includes('resolved')
  const waived = checks.reduce((sum, one) => sum + total(one.waived, wanted), 0)
  if (!all && waived > 0) yield `${tenant}: ${plural(waived, 'open finding')} waived; --all lists them`
  const concerned = checks.filter((one) => one.severities.some((severity) => wanted.includes(severity)))
  const shown = waivers.filter((waiver) => all && concerned.some((one) => one.check === waiver.check))
  for (const described of describeWaivers(shown, at)) if (described.level !== 'ok') yield inWords(tenant, described)
  for (const one of check === undefined ? [] : checks) {
    if (!one.enabled) yield `${tenant}: ${one.check} is switched off in the configuration and not evaluated`
    else if (one.status === 'not_applicable' && total(one.open) === 0)
      yield `${tenant}: ${one.check} is not applicable, so it has no open findings`
  }
  for (const hold of holds) yield inWords(`${tenant} ${hold.resource}`, describeHold(hold))
  const unknown = describeUnknown(posture)
  if (unknown !== null) yield inWords(tenant, unknown)
  for (const one of concerned) {
    const reason = moreMayFail(one)
    if (reason !== null) yield `${tenant}: more may fail ${checksUnknownBy(reason, [one])}`
  }
}

/** @throws UsageError on a name that does not exist: a misspelled filter would look like "nothing found". */
export function findingQuery(
  options: FindingFilterOptions,
  settings: Settings,
  checks: readonly Pick<Check, 'id'>[],
  now: number,
): FindingQuery {
  const ids = checks.map(({ id }) => id)
  return {
    states: options.all === true ? findingStates : ['open'],
    tenant: configuredTenant(settings, options.tenant),
    check: oneOf('check', ids, options.check),
    owner: oneOf('owner', ownerNames(settings.owners), options.owner),
    severities: chosenSeverities(options),
    since: readSince(options.since, now),
  }
}
