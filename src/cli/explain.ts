import type { Command } from 'commander'
import { checks } from '../checks/index.ts'
import type { Mirror } from '../mirror/port.ts'
import type { ChangeRow } from '../mirror/query.ts'
import { openMirror } from '../mirror/sqlite-mirror.ts'
import { toIso } from '../model/dates.ts'
import { UsageError } from '../model/errors.ts'
import type { FindingView } from '../model/finding.ts'
import { printable } from '../model/printable.ts'
import { loadConfiguration } from './configuration.ts'
import { type ExitCode, exitCodes, type Io, print } from './io.ts'
import { createViews } from './views.ts'

const leastLength = 6

export function addExplain(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('explain')
    .argument('<fingerprint>', 'of a finding, or its beginning')
    .description('why a finding stands: the rule, the facts, when and by which request they were read, the history')
    .addHelpText('after', '\nExample:\n  tenantwatch explain e49418ad0f73')
    .action(async (fingerprint: string, _options: object, command: Command) =>
      done(await explain(io, fingerprint, command)),
    )
}

async function explain(io: Io, given: string, command: Command): Promise<ExitCode> {
  if (given.length < leastLength) throw new UsageError(`Give at least ${leastLength} characters of the fingerprint`)
  const { settings } = loadConfiguration(io, command)
  await using mirror = openMirror(settings.storePath, 'beside')
  const states = ['open', 'waived', 'resolved'] as const
  const found: FindingView[] = []
  for await (const finding of createViews(mirror, settings, io.clock).findings({ states })) {
    if (finding.fingerprint.startsWith(given.toLowerCase())) found.push(finding)
  }
  const [finding, other] = found
  if (finding === undefined)
    throw new UsageError(`There is no finding ${printable(given)}; see "tenantwatch findings --all"`)
  if (other !== undefined) throw new UsageError(`Several findings begin with ${printable(given)}; give more of it`)
  for (const line of [...about(finding), ...(await history(mirror, finding))]) print(io, printable(line))
  return exitCodes.ok
}

function about(finding: FindingView): readonly string[] {
  const {
    check: id,
    entity,
    severity,
    state,
    resolution,
    resolvedAt,
    firstSeen,
    lastSeen,
    reopened,
    evidence,
  } = finding
  const check = checks.find((one) => one.id === id)
  return [
    `${severity.toUpperCase()} ${id}: ${finding.message}`,
    '',
    `Entity       ${entity.type} ${entity.id} of tenant ${finding.tenant}`,
    `State        ${state}${resolution === null ? '' : `: ${resolution} at ${resolvedAt ?? ''}`}`,
    `First seen   ${firstSeen}`,
    `Last seen    ${lastSeen}${reopened === 0 ? '' : `, reopened ${reopened} times`}`,
    ...(finding.waiver === null ? [] : [`Waiver       ${finding.waiver}`]),
    `Passes when  ${check?.title ?? 'this version does not know the check'}`,
    ...(check === undefined ? [] : [`Risk         ${check.risk}`, `What to do   ${check.remediation}`]),
    '',
    'Evidence',
    ...Object.entries(evidence).map(([name, value]) => `  ${name}  ${JSON.stringify(value)}`),
  ]
}

async function history(mirror: Mirror, { tenant, check: id, entity }: FindingView): Promise<readonly string[]> {
  const check = checks.find((one) => one.id === id)
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  if (check === undefined || row === undefined || !check.entity.isRecord) return []
  const changes = await mirror.records(row.id).history(check.judges, entity.id.toLowerCase())
  return changes.length === 0 ? [] : ['', 'History of the entity', ...changes.map(changeLine)]
}

function changeLine({ at, kind, field, before, after, requestId }: ChangeRow): string {
  const what = field === null ? kind : `${field} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`
  return `  ${toIso(at)}  ${what}  (request ${requestId ?? 'unknown'})`
}
