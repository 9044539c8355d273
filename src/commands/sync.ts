import { type Command, Option } from 'commander'
import { SandboxQueries } from '../checks/own/sandbox.ts'
import type { Settings } from '../config/settings.ts'
import { localAddress } from '../config/values.ts'
import { loadWebSettings } from '../config/web-settings.ts'
import { openSession } from '../daemon/session.ts'
import { syncRound } from '../daemon/sync-round.ts'
import { ignoredSettings } from '../doctor/configuration.ts'
import { describeHold, describeIdentity, describePosture, inWords } from '../model/describe.ts'
import { EngineRunning, FatalError, UsageError } from '../model/errors.ts'
import type { TenantPosture } from '../model/posture.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { EndedRun } from '../model/run-result.ts'
import type { Severity } from '../model/severity.ts'
import { printable } from '../model/text/printable.ts'
import { grouped } from '../model/text/words.ts'
import { textTable } from '../report/table.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import type { SyncProgress } from '../sync/context.ts'
import type { SyncRequest } from '../web/web-options.ts'
import { addCommand } from './command.ts'
import { loadConfiguration, openMirror } from './support/configuration.ts'
import { exitCodeOf } from './support/exit-code.ts'
import { eraseLine, note, warn } from './support/io.ts'
import { createLog } from './support/logger.ts'
import { configuredTenant, failOnOption, resourceOption, tenantOption } from './support/options.ts'

/**
 * Has the daemon at `server.listen` sync, and waits for the runs.
 *
 * @throws EngineRunning, the given one, if none answers there; FatalError when it refuses, or ends before the runs.
 */
async function askDaemon(
  { server }: Settings,
  asked: SyncRequest,
  { cwd, stop }: Io,
  running: EngineRunning,
): Promise<readonly EndedRun[]> {
  const { webConfig } = server
  const scheme = webConfig !== null && loadWebSettings(webConfig, cwd).tls !== null ? 'https' : 'http'
  const url = new URL(`${scheme}://${localAddress(server)}/-/sync`)
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) url.searchParams.set(name, value)
  const response = await fetch(url, { method: 'POST', redirect: 'error', signal: stop }).catch((error: Error) => {
    const { cause } = error
    const why = cause instanceof Error ? cause.message : error.message
    throw running.withAdvice(`${leaveIt}; asked at ${url.origin}, it did not answer: ${printable(why, 200)}`)
  })
  const answer = await response.text().catch(() => '')
  const ended = response.ok && answer.trim() !== '' ? (JSON.parse(answer) as readonly EndedRun[] | Failed) : null
  if (ended !== null && !('error' in ended)) return ended
  const why = response.ok
    ? printable(ended?.error ?? 'it did not answer to the end; its log says why')
    : `${response.status} ${printable(answer.trim(), 500)}`
  const hint = response.status === 401 ? `; ask it yourself: curl -u USER -X POST '${url}'` : ''
  throw new FatalError(`The running daemon at ${url.origin} did not sync: ${why}${hint}`)
}

interface Failed {
  readonly error: string
}

interface SyncOptions {
  readonly tenant?: string
  readonly resource?: ResourceName
  readonly full?: boolean
  readonly failOn?: Severity
}

export const addSync = addCommand<SyncOptions>({
  name: 'sync',
  summary: 'sync once, evaluate, print a summary and exit',
  options: [tenantOption(), resourceOption(), new Option('--full', 'run all full syncs, due or not'), failOnOption()],
  help: `Runs every incremental sync, the full sync of every resource without one, and the
full syncs of users and documents that are due. In the column RECORDS, +2 ~1 -0 =97
means 2 created, 1 changed, 0 removed and 97 read without a change. Beside a running
daemon, that one syncs: each resource at most once a minute, else its last run counts.

Exit: 0 ok, 1 findings at or above --fail-on, 2 configuration, 3 a run failed or a
change is on hold, or, with --fail-on, a check is unknown; 3 takes precedence. With
--fail-on, the last line on standard error is the cause of 1 or 3.

Examples:
  tenantwatch sync
  tenantwatch sync --tenant acme --resource users --full
  tenantwatch sync --fail-on high`,
  async run({ io, command, options }) {
    const { resource } = options
    const { settings, ignored } = loadConfiguration(io, command, 'request')
    warn(io, ignoredSettings(ignored))
    const tenant = configuredTenant(settings, options.tenant)
    const chosen = settings.tenants.filter(({ name }) => tenant === undefined || name === tenant)
    if (resource !== undefined && chosen.every(({ resources }) => !resources[resource].enabled)) {
      throw new UsageError(`The resource ${resource} is switched off in the configuration`)
    }
    const round = { tenant, resource, mode: options.full === true ? ('full' as const) : undefined }
    const { results, postures, others = [] } = await runAll(settings, round, io, command)
    const terminal = terminalOf(io)
    if (results.length > 0) print(io, runsTable(results, terminal))
    for (const line of ['', ...summaryOf(results, postures)]) print(io, wrapLine(line, terminal))
    const { code, cause } = exitCodeOf({ results, postures, failOn: options.failOn })
    const why =
      settings.store.url === null ? 'the running daemon has not loaded it, reload that' : 'another replica has it'
    if (others.length > 0) note(io, `Not synced, because ${why}: ${others.join(', ')}`)
    if (cause !== null) note(io, cause)
    return others.length > 0 ? exitCodes.failed : code
  },
})

interface Ended {
  readonly results: readonly EndedRun[]
  readonly postures: readonly TenantPosture[]
  /** Tenants that the daemon that was asked does not have. */
  readonly others?: readonly string[]
}

/** In this process, or by the daemon that works on the database. */
async function runAll(settings: Settings, round: SyncRequest, io: Io, command: Command): Promise<Ended> {
  try {
    return await runHere(settings, round, io)
  } catch (error) {
    if (!(error instanceof EngineRunning)) throw error
    // The engine may not have made it yet.
    await using opened = await openMirror(io, command).catch(() => Promise.reject(error.withAdvice(leaveIt)))
    const mirror = (await opened.mirror.firstHash()) ?? undefined
    const results = await askDaemon(settings, { ...round, mirror }, io, error)
    const postures = await opened.views.posture(round.tenant)
    const others = postures.map(({ tenant }) => tenant).filter((name) => results.every(({ tenant }) => tenant !== name))
    return { results, postures, others }
  }
}

async function runHere(settings: Settings, round: SyncRequest, io: Io): Promise<Ended> {
  // The summary contains what a daemon logs at info.
  const log = await createLog(io, settings.logLevel === 'info' ? 'warn' : settings.logLevel)
  // On a terminal the summary names each failed run, so the log need not.
  const runLog = io.stderr.isTTY === true && settings.logLevel === 'info' ? { runLog: { ended: () => {} } } : {}
  const progress = syncProgress(io, settings)
  await using ownQueries = new SandboxQueries()
  await using session = await openSession({ settings, io, log, as: 'alone', ownQueries, progress, ...runLog })
  const results = await syncRound(session, round, io.stop).finally(progress.clear)
  await session.evaluate()
  await session.eraseOutdated()
  return { results, postures: await session.views.posture(round.tenant) }
}

const progressEveryMs = 200

/** Shows how far a sync is on a terminal, in a line that is overwritten: `users 12,400, details 120/200`. */
function syncProgress({ stderr, clock }: Io, { tenants }: Pick<Settings, 'tenants'>): SyncProgress & { clear(): void } {
  const read = new Map<string, { records: number; details: string }>()
  let shownAt = Number.NEGATIVE_INFINITY
  const write = (text: string) => {
    if (stderr.isTTY === true) stderr.write(`${eraseLine}${text.slice(0, (stderr.columns ?? 80) - 1)}`)
  }
  const nameOf = (tenant: string, resource: string) => (tenants.length > 1 ? `${tenant} ${resource}` : resource)
  const show = (tenant: string, resource: string, change: (one: { records: number; details: string }) => void) => {
    const one = read.get(nameOf(tenant, resource)) ?? { records: 0, details: '' }
    change(one)
    read.set(nameOf(tenant, resource), one)
    const now = clock.monotonic()
    if (now - shownAt < progressEveryMs) return
    shownAt = now
    write([...read].map(([name, of]) => `${name} ${grouped(of.records)}${of.details}`).join(' · '))
  }
  return {
    page: (tenant, resource, _pages, records) =>
      show(tenant, resource, (one) => {
        one.records += records
      }),
    lookedUp: (tenant, resource, done, wanted) =>
      show(tenant, resource, (one) => {
        one.details = `, details ${grouped(done)}/${grouped(wanted)}`
      }),
    runEnded: ({ tenant, resource }) => void read.delete(nameOf(tenant, resource)),
    clear: () => write(''),
  }
}

/** docs/daily-work.md#configuration-changes */
const leaveIt =
  'or leave it to that one: the daemon runs every sync on its schedule, and after a reload at once those that a shorter `schedule` makes due'

function runsTable(results: readonly EndedRun[], terminal: Terminal | null): string {
  const runs = results.map(({ tenant, resource, mode, outcome, reason, counts, durationMs }) => [
    tenant,
    resource,
    mode,
    outcome === 'failure' ? (reason ?? 'internal') : outcome === 'skipped' ? 'skipped' : 'ok',
    outcome === 'skipped' ? '' : countsText(counts),
    outcome === 'skipped' ? '' : `${(durationMs / 1000).toFixed(1)} s`,
  ])
  return textTable(['TENANT', 'RESOURCE', 'MODE', 'RESULT', 'RECORDS', 'TIME'], runs, { terminal })
}

/** Created, changed, removed, unchanged. */
function countsText({ created, updated, removed, unchanged, quarantined }: EndedRun['counts']): string {
  const apart = quarantined === 0 ? '' : ` ${quarantined} quarantined`
  return `+${created} ~${updated} -${removed} =${unchanged}${apart}`
}

/** Checks and findings, holds, and failed or skipped runs other than those that a hold explains; one cause once. */
function* summaryOf(results: readonly EndedRun[], postures: readonly TenantPosture[]): Generator<string> {
  for (const posture of postures) {
    yield inWords(posture.tenant, describePosture(posture))
    if (posture.sharedWith !== undefined) yield inWords(posture.tenant, describeIdentity(posture))
  }
  for (const { tenant, holds } of postures)
    for (const hold of holds) yield inWords(`${tenant} ${hold.resource}`, describeHold(hold))
  const isHeld = ({ message }: EndedRun) => postures.some(({ holds }) => holds.some((hold) => hold.message === message))
  const others = results.filter((one) => one.outcome !== 'success' && !isHeld(one))
  // Ignores the endpoint, because one cause fails requests to several.
  const causes = Map.groupBy(others, ({ tenant, message }) => `${tenant} ${message?.replace(/^GET \S+/, '')}`)
  for (const [first, ...rest] of causes.values()) {
    if (first === undefined) continue
    const resources = [...new Set([first, ...rest].map(({ resource }) => resource))].join(', ')
    yield inWords(`${first.tenant} ${resources}`, {
      level: first.outcome === 'failure' ? 'fail' : 'ok',
      text: `${first.outcome === 'failure' ? '' : 'skipped. '}${first.message ?? ''}`,
      next: first.hint ?? null,
    })
  }
}
