import { createHash } from 'node:crypto'
import { escapeInJson, printable, printableJson } from '../model/text/printable.ts'
import { plural, wordOf } from '../model/text/words.ts'
import { toIso } from '../model/time.ts'
import type { Report, ReportCheck, ReportFinding, ReportResource, TenantReport } from './build-report.ts'
import type { ReportFramework, ReportRequirement, RequirementState } from './coverage.ts'
import { opened } from './report-json.ts'
import { caveat, coverageInWords, resourceStateWord } from './words.ts'

/** Assessment results of NIST OSCAL (https://pages.nist.gov/OSCAL). */
export const oscalVersion = '1.0.6'

const ns = 'https://github.com/tenantwatch/tenantwatch'

/** One result for each tenant: requirements are findings, checks and evidence observations, open findings risks. */
export async function* reportOscal(report: Report): AsyncIterable<string> {
  const { at, version, tenants, notes, configurationDigest, configuredSince } = report
  const time = toIso(at)
  const plan = uuidOf('configuration', configurationDigest, configuredSince)
  const head = {
    uuid: uuidOf('report', time, configurationDigest, ...tenants.map(({ tenant }) => tenant)),
    metadata: {
      title: 'Audit report of tenantwatch',
      'last-modified': time,
      version: time,
      'oscal-version': oscalVersion,
      props: propsOf({ 'tenantwatch-version': version, 'history-begins': report.historyBegins }),
      ...(notes.length > 0 && { remarks: notes.map(md).join('\n\n') }),
    },
    'import-ap': { href: `#${plan}` },
    'back-matter': {
      resources: [
        {
          uuid: plan,
          title: 'Configuration of tenantwatch',
          description: `The checks, thresholds and waivers in force since ${configuredSince}.`,
          props: propsOf({ digest: configurationDigest }),
        },
      ],
    },
  }
  yield `{\n  "assessment-results": ${opened(head)},\n  "results": [`
  for (const [i, tenant] of tenants.entries()) {
    yield i === 0 ? '\n' : ',\n'
    yield* resultJson(tenant, report)
  }
  yield '\n  ]\n}\n}\n'
}

async function* resultJson(tenant: TenantReport, { at, from, historyBegins }: Report): AsyncIterable<string> {
  const time = toIso(at)
  const { tenant: name, quality, checks, findings, chainHead } = tenant
  const requirements = tenant.frameworks.flatMap((framework) =>
    framework.requirements
      .filter(({ checks: by }) => by.length > 0)
      .map((one) => requirementOf(framework, one, name, time)),
  )
  const parts = attestedIn(tenant)
  yield opened({
    uuid: uuidOf('result', time, name),
    title: `Checks of tenant ${md(name)}`,
    description: md(tenant.summary),
    start: from === null ? historyBegins : toIso(from),
    end: time,
    props: propsOf({
      tenant: name,
      'complete-and-fresh-resources': `${quality.fresh} of ${quality.of}`,
      'findings-in-period': tenant.period?.findings.map(({ severity, opened, resolved }) => {
        return `${severity}: ${opened} opened, ${resolved} resolved`
      }),
      resource: tenant.resources.map(resourceInWords),
      hold: tenant.holds.map(({ resource, reason, count, raisedAt }) => {
        return `${resource}: ${reason}, ${plural(count, 'record')}, since ${raisedAt}`
      }),
      'audit-chain-event': chainHead?.id,
      'audit-chain-time': chainHead?.at,
      'audit-chain-hash': chainHead?.hash,
    }),
    'reviewed-controls': { 'control-selections': tenant.frameworks.map(selectionOf) },
    ...(parts.length > 0 && { attestations: [{ parts }] }),
    ...(requirements.length > 0 && { findings: requirements }),
    remarks: caveat,
  })
  yield ',\n  "observations": ['
  let separator = '\n'
  for (const check of checks) {
    yield `${separator}${json(observationOf(check, name, time))}`
    separator = ',\n'
  }
  for await (const finding of findings()) yield `,\n${json(evidenceOf(finding, name, time))}`
  yield '\n  ]'
  separator = ',\n  "risks": [\n'
  for await (const finding of findings()) {
    yield `${separator}${json(riskOf(finding, tenant, time))}`
    separator = ',\n'
  }
  yield separator === ',\n' ? '\n  ]\n}' : '\n}'
}

/** `users: on hold, shrink_held; data as of 2026-03-01T12:00:00.000Z`. */
function resourceInWords(one: ReportResource): string {
  const state = resourceStateWord(one.state, one.dataAsOf)
  const words = new Set([state, ...one.reasons.filter((reason) => reason !== one.state)])
  return `${one.resource}: ${[...words].join(', ')}; ${one.dataAsOf === null ? 'never completely read' : `data as of ${one.dataAsOf}`}`
}

function json(value: object): string {
  return escapeInJson(JSON.stringify(value))
}

/** A property for each value, or each of a list; none for what is not known. Values are one line without white space at its ends. */
function propsOf(values: Readonly<Record<string, string | number | readonly string[] | null | undefined>>) {
  return Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => ({ name, ns, value: printable(String(one)).trim() || '-' })),
  )
}

const checkId = (tenant: string, time: string, check: string) => uuidOf('check', time, tenant, check)

/** Ids of NIST controls as in its catalog: `ia-2.1` for IA-2(1). */
function controlId({ id: framework }: Pick<ReportFramework, 'id'>, { id }: Pick<ReportRequirement, 'id'>): string {
  const token = id.replaceAll(/[^\w.-]+/g, '.').replace(/\.$/, '')
  return framework === 'nist80053' ? token.toLowerCase() : `${framework}_${token}`
}

function selectionOf(framework: ReportFramework) {
  const idsOf = (isMapped: boolean) =>
    framework.requirements
      .filter(({ checks }) => checks.length > 0 === isMapped)
      .map((requirement) => ({ 'control-id': controlId(framework, requirement) }))
  const [included, excluded] = [idsOf(true), idsOf(false)]
  return {
    description: framework.name,
    ...(included.length > 0 && { 'include-controls': included }),
    ...(excluded.length > 0 && {
      'exclude-controls': excluded,
      remarks: 'No check here is about the excluded controls.',
    }),
  }
}

/** OSCAL only has satisfied and not satisfied; only what passing checks support is satisfied. */
const reasons: Readonly<Record<RequirementState, 'pass' | 'fail' | 'other'>> = {
  supported: 'pass',
  fail: 'fail',
  unknown: 'other',
  waived: 'other',
  not_applicable: 'other',
  no_check: 'other',
}

function requirementOf(framework: ReportFramework, requirement: ReportRequirement, tenant: string, time: string) {
  const { id, title, state, checks } = requirement
  return {
    uuid: uuidOf('requirement', time, tenant, framework.id, id),
    title: `${framework.name} ${id}`,
    description: `${title}: ${wordOf(state)}`,
    props: propsOf({ state }),
    target: {
      type: 'objective-id',
      'target-id': controlId(framework, requirement),
      status: { state: state === 'supported' ? 'satisfied' : 'not-satisfied', reason: reasons[state] },
      ...(state === 'not_applicable' && { 'implementation-status': { state: 'not-applicable' } }),
    },
    'related-observations': checks.map(({ check }) => ({ 'observation-uuid': checkId(tenant, time, check) })),
  }
}

function observationOf(check: ReportCheck, tenant: string, time: string) {
  const { title, standing, reason, since, assumption, options } = check
  return {
    uuid: checkId(tenant, time, check.check),
    title: md(title),
    description: `${wordOf(standing)}: ${coverageInWords(check)}`,
    props: propsOf({
      check: check.check,
      standing,
      reason,
      since,
      assumption,
      configured: Object.keys(options).length === 0 ? null : printableJson(options),
    }),
    methods: ['TEST'],
    types: ['control-objective'],
    collected: check.dataAsOf ?? time,
  }
}

const evidenceId = (tenant: string, time: string, fingerprint: string) => uuidOf('evidence', time, tenant, fingerprint)

function factsOf({ check, severity, fingerprint, entity, firstSeen, owner }: ReportFinding) {
  return {
    ...{ check, severity, fingerprint, 'entity-type': entity.type, 'entity-id': entity.id, 'first-seen': firstSeen },
    ...{ owner, 'entity-name': entity.name, 'entity-email': entity.email, 'entity-filename': entity.filename },
  }
}

function evidenceOf(finding: ReportFinding, tenant: string, time: string) {
  const { fingerprint, message, evidence, link } = finding
  return {
    uuid: evidenceId(tenant, time, fingerprint),
    description: md(message),
    props: propsOf(factsOf(finding)),
    ...(link !== null && { links: [{ href: link, rel: 'reference' }] }),
    methods: ['TEST'],
    types: ['finding'],
    'relevant-evidence': [{ description: md(printableJson(evidence)) }],
    collected: typeof evidence['readAt'] === 'string' ? evidence['readAt'] : time,
  }
}

function riskOf(finding: ReportFinding, { tenant, checks }: TenantReport, time: string) {
  const { fingerprint, check, message, state, waiver } = finding
  const title = checks.find((one) => one.check === check)?.title ?? check
  return {
    // Stays the same in later reports.
    uuid: uuidOf('finding', tenant, fingerprint),
    title: md(check),
    description: md(message),
    statement: `Not met: ${md(title)}.`,
    props: propsOf({
      ...factsOf(finding),
      reopened: finding.reopened === 0 ? null : finding.reopened,
      waiver: waiver?.id,
      'waiver-state': waiver?.state,
    }),
    status: state === 'waived' ? 'deviation-approved' : 'open',
    'related-observations': [{ 'observation-uuid': evidenceId(tenant, time, fingerprint) }],
  }
}

/** Who accepted what, and why. */
function attestedIn({ waivers, decisions }: TenantReport) {
  const part = (name: string, title: string, props: Parameters<typeof propsOf>[0], reason: string) => {
    return { name, ns, title: md(title), props: propsOf(props), prose: md(reason) }
  }
  return [
    ...waivers.map(({ id, check, entity, state, owner, reason, expires }) =>
      part('waiver', id, { check, entity, state, owner, expires }, reason),
    ),
    ...decisions.map(({ at, accepted, subject, id, what, reason, by }) =>
      part(`accepted-${accepted}`, id, { at, of: subject, state: what, by }, reason),
    ),
  ]
}

/** Namespace of tenantwatch for name-based UUIDs. */
const namespace = Buffer.from('6f0a1c1e6f5c4f0e9a530c6a6a3f2b77', 'hex')

/** A name-based UUID (RFC 9562, version 5): the same for the same names. */
function uuidOf(...names: readonly string[]): string {
  const bytes = createHash('sha1').update(namespace).update(JSON.stringify(names)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Markup characters, and those that turn a bare address into a link. */
const markup = /[\\`*_[\]<>|#~&@$!]|:(?=\/\/)|(?<=www)\./gi

/** Escapes a text from the tenant for a field of Markdown. */
export function md(text: string): string {
  return printable(text).replace(markup, '\\$&')
}
