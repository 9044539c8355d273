import type { Command } from 'commander'
import { SandboxQueries } from '../checks/own/sandbox-queries.ts'
import { countsText } from '../daemon/run-log.ts'
import { openSession } from '../daemon/session.ts'
import { syncRound } from '../daemon/sync-round.ts'
import { ignoredStorePath } from '../doctor/config-warnings.ts'
import { EngineRunning, UsageError } from '../model/errors.ts'
import { listsRecords } from '../model/hold-remedy.ts'
import type { TenantPosture } from '../model/posture.ts'
import { type ExitCode, type Io, print } from '../model/process/io.ts'
import { resourceNames } from '../model/resource-names.ts'
import { hasAny, severities } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import { holdLine, type Next } from '../report/findings-notes.ts'
import { table } from '../report/formats.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import type { RunResult } from '../sync/observer.ts'
import { tally } from '../web/postures.ts'
import { loadConfiguration } from './support/configuration.ts'
import { exitCodeOf } from './support/exit-code.ts'
import { createLog } from './support/logger.ts'
import { commandFor, printNext } from './support/next-command.ts'
import { leastSeverity, oneOf, tenantOption } from './support/options.ts'
import { syncProgress } from './support/sync-progress.ts'
import { warn } from './support/warn.ts'

interface SyncOptions {
  readonly tenant?: string
  readonly resource?: string
  readonly full?: boolean
  readonly failOn?: string
}

export function addSync(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('sync')
    .description('sync once, evaluate, print a summary and exit')
    .option('--tenant <name>', 'only this tenant')
    .option('--resource <name>', `only this resource: ${resourceNames.join(', ')}`)
    .option('--full', 'run all full syncs, due or not')
    .option('--fail-on <severity>', `exit 1 with open findings of at least this severity: ${severities.join(', ')}`)
    .addHelpText(
      'after',
      `
Runs every incremental sync, the full sync of every resource without one, and the full syncs of users and documents that
are due. While it runs, a terminal shows how far it is; elsewhere each run that ended prints a line, and those that take
longer one every 30 s. In the column RECORDS, +2 ~1 -0 =97 means 2 records created, 1 changed, 0 removed and 97 read without a change.

Exit: 0 ok, 1 findings at or above --fail-on, 2 configuration, 3 a run failed or a change is on
hold, or, with --fail-on, a check is unknown; 3 takes precedence. With --fail-on, the last line
on standard error is the cause of 1 or 3.

Examples:
  tenantwatch sync
  tenantwatch sync --tenant acme --resource users --full
  tenantwatch sync --fail-on high`,
    )
    .action(async (options: SyncOptions, command: Command) => done(await sync(io, options, command)))
}

async function sync(io: Io, options: SyncOptions, command: Command): Promise<ExitCode> {
  const failOn = leastSeverity('--fail-on', options.failOn)
  const resource = oneOf('resource', resourceNames, options.resource)
  const { settings, ignoredPath } = loadConfiguration(io, command, { needsSecrets: true })
  warn(io, ignoredStorePath(ignoredPath))
  const tenant = tenantOption(settings, options.tenant)
  const chosen = settings.tenants.filter(({ name }) => tenant === undefined || name === tenant)
  if (resource !== undefined && chosen.every(({ resources }) => !resources[resource].enabled)) {
    throw new UsageError(`The resource ${resource} is switched off in the configuration`)
  }
  // The summary contains what a daemon logs at info.
  const log = await createLog(io, settings.logLevel === 'info' ? 'warn' : settings.logLevel)
  // On a terminal the summary names each failed run, so the log need not.
  const runLog = io.stderr.isTTY === true && settings.logLevel === 'info' ? { runLog: { ended: () => {} } } : {}
  const progress = syncProgress(io, settings)
  await using ownQueries = new SandboxQueries()
  await using session = await openSession({ settings, io, log, as: 'alone', ownQueries, progress, ...runLog }).catch(
    (error: unknown) => {
      throw error instanceof EngineRunning ? error.withAdvice(leaveIt) : error
    },
  )
  const round = { ...(tenant && { tenant }), ...(resource && { resource }), full: options.full === true }
  const results = await syncRound(session, round, io.stop).finally(progress.clear)
  await session.eraseOutdated()
  const postures = await session.views.posture(tenant)
  const terminal = terminalOf(io)
  print(
    io,
    syncSummary(results, postures, terminal, (words) => commandFor(command, words)),
  )
  if (postures.some(({ checks }) => checks.some(({ open }) => hasAny(open))))
    printNext(io, command, 'To list the findings', 'findings')
  return exitCodeOf(io, { results, postures, failOn })
}

/** docs/operations.md#configuration-changes */
const leaveIt =
  'or leave it to that one: the daemon runs every sync on its schedule, and after a reload at once those that a shorter `schedule` makes due'

/** The result of a sync round as text: runs, checks, holds, failures. */
function syncSummary(
  results: readonly RunResult[],
  postures: readonly TenantPosture[],
  terminal: Terminal | null,
  next: Next,
): string {
  const runs = results.map(({ tenant, resource, mode, outcome, reason, counts, durationMs }) => [
    tenant,
    resource,
    mode,
    outcome === 'failure' ? (reason ?? 'internal') : outcome === 'skipped' ? 'skipped' : 'ok',
    countsText(counts),
    counts.quarantined === 0 ? '' : `${counts.quarantined} quarantined`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ])
  const heading = ['TENANT', 'RESOURCE', 'MODE', 'RESULT', 'RECORDS', '', 'TIME']
  const holds = holdLines(postures, results, next)
  const lines = [...postures.map(checkLine), ...holds, ...failures(results, postures)]
  return [table(heading, runs), '', ...lines.map((line) => wrapLine(line, terminal))].join('\n')
}

function checkLine(posture: TenantPosture): string {
  const { shown, open } = tally(posture)
  const found = severities
    .toReversed()
    .flatMap((severity) => (open[severity] > 0 ? [`${open[severity]} ${severity}`] : []))
  const waived = shown.waived > 0 ? `${shown.waived} waived, ` : ''
  const statuses = `${shown.pass} pass, ${shown.fail} fail, ${waived}${shown.unknown} unknown, ${shown.not_applicable} not applicable`
  const none = shown.unknown > 0 ? 'none known' : 'none'
  return `${posture.tenant}: checks ${statuses}; open findings: ${found.length === 0 ? none : found.join(', ')}`
}

/** Leaves out failed runs whose message is that of a hold. */
function holdLines(postures: readonly TenantPosture[], results: readonly RunResult[], next: Next): string[] {
  return postures.flatMap(({ tenant, holds }) =>
    holds.flatMap((hold) => {
      const { id, reason, message, remedy } = hold
      const raised = results.find((one) => isHeld(one, postures) && one.tenant === tenant && one.message === message)
      const hint = raised?.hint ?? (remedy ? null : `See "${next('accept')}"`)
      const line = holdLine(tenant, hold, hint === null ? '' : `. ${hint}`)
      return [line, ...(listsRecords(reason) ? [`  Its records: ${next(`accept ${id} --list`)}`] : [])]
    }),
  )
}

function isHeld({ tenant, message }: RunResult, postures: readonly TenantPosture[]): boolean {
  return postures.some((one) => one.tenant === tenant && one.holds.some((hold) => hold.message === message))
}

function failures(results: readonly RunResult[], postures: readonly TenantPosture[]): string[] {
  const failed = results.filter((one) => one.outcome === 'failure' && !isHeld(one, postures))
  // Ignores the endpoint, because one cause fails requests to several.
  const causeOf = (message: string | null) => message?.replace(/^GET \S+/, '')
  const causes = Map.groupBy(failed, ({ tenant, message, hint }) => JSON.stringify([tenant, causeOf(message), hint]))
  const lines = [...causes.values()].map((ofCause) => {
    const [{ tenant, message, hint } = {}] = ofCause
    const resources = [...new Set(ofCause.map(({ resource }) => resource))].join(', ')
    return printable(`${tenant} ${resources}: ${message ?? ''}${hint == null ? '' : `. ${hint}`}`)
  })
  return lines.length === 0 ? [] : ['', ...lines]
}
