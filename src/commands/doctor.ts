import type { Command } from 'commander'
import { createTenantClient } from '../api/client.ts'
import type { TenantClient } from '../api/reader.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { createViews } from '../daemon/views.ts'
import { configWarnings, diagnoseOwnChecks } from '../doctor/config-warnings.ts'
import { diagnosePlace, diagnoseStore, type Opened, unusable } from '../doctor/database.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { diagnoseEnrolment, type Enrolment, readEnrolment } from '../doctor/enrolment.ts'
import { diagnoseIdentity } from '../doctor/identity.ts'
import { type Probed, probeTenant } from '../doctor/probe-tenant.ts'
import { diagnosisTable, enrolmentTable, marksFor } from '../doctor/render.ts'
import { tenantWarnings } from '../doctor/tenant-warnings.ts'
import { diagnoseTwins } from '../doctor/twins.ts'
import { diagnoseWaivers } from '../doctor/waivers.ts'
import type { Mirror, TenantRow } from '../mirror/port.ts'
import { openMirror } from '../mirror/sqlite/sqlite-mirror.ts'
import { type StoreFacts, storeFacts } from '../mirror/sqlite/store-facts.ts'
import { toIso } from '../model/dates.ts'
import { silentLog } from '../model/log.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { enabledNames } from '../sync/intervals.ts'
import { loadConfiguration, oneOf } from './support/configuration.ts'
import { type StatusLine, statusLine } from './support/status-line.ts'

const formats = ['table', 'json'] as const

/** A request a second is all that is asked for beside an engine, whose own rate the tenant counts together with it. */
const rateBesideEngine = 1
const retries = 1

export function addDoctor(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description('ask every endpoint once and look at database and configuration: what is wrong, and what to do')
    .option('--format <format>', formats.join(', '), 'table')
    .addHelpText(
      'after',
      `
Works beside a running engine, asks the tenants by GET only and changes nothing in the mirror.

Exit: 0 nothing failed, there may be warnings (!); 2 usage or configuration; 3 something failed.

Examples:
  tenantwatch doctor
  tenantwatch doctor --format json | jq '.tenants[].diagnoses[] | select(.level != "ok")'`,
    )
    .action(async ({ format }: { readonly format: string }, command: Command) => {
      const wanted = oneOf('format', formats, format)
      const { settings } = loadConfiguration(io, command, { needsSecrets: true })
      const line = statusLine(io)
      const report = await examine(io, settings, line).finally(line.clear)
      if (wanted === 'json') print(io, printableJson(report))
      else for (const line of linesOf(report, io)) print(io, line)
      done(report.failed === 0 ? exitCodes.ok : exitCodes.failed)
    })
}

interface TenantReport {
  readonly tenant: string
  readonly baseUrl: string
  readonly diagnoses: readonly Diagnosis[]
  /** Null while no users are mirrored, and while they may be another tenant's. */
  readonly enrolment: Enrolment | null
}

interface Report {
  readonly version: string
  readonly at: string
  readonly failed: number
  readonly warnings: number
  readonly tenants: readonly TenantReport[]
  /** What concerns no tenant: database and configuration. */
  readonly general: readonly Diagnosis[]
}

async function examine(io: Io, settings: Settings, line: StatusLine): Promise<Report> {
  const facts = storeFacts(settings.storePath)
  const opened = facts.exists ? openIfPossible(settings.storePath) : { problem: 'not there' }
  await using mirror = 'mirror' in opened ? opened.mirror : undefined
  const waits = await waitsIn(mirror)
  line.say('Asking the tenants')
  await using clients = new AsyncDisposableStack()
  // All clients before the first request: what the environment forbids is told before anything is sent.
  const probes = settings.tenants.map((tenant) => ({
    tenant,
    client: clients.use(clientOf(tenant, io, { facts, ...(waits.get(tenant.name) ?? noWait) })),
  }))
  const now = () => io.clock.now()
  const env = (name: string) => io.env[name]
  const asked = await Promise.all(
    probes.map(async (probe) => ({ ...probe, ...(await probeTenant({ ...probe, now, signal: io.stop, env })) })),
  )
  line.say('Reading the database')
  const store = facts.exists ? await diagnoseStore(facts, opened, now(), io.stop, settings.historyRetentionDays) : []
  const sound = store.every(({ level }) => level !== 'fail') ? mirror : undefined
  const { known, problems } = await mirrored(sound, asked, settings, io)
  const tenants = asked.map(({ tenant, diagnoses: probed }) => {
    const { enrolment = null, diagnoses = [] } = known.get(tenant.name) ?? {}
    const { name, baseUrl } = tenant
    const all = [...probed, ...diagnoses, ...tenantWarnings(tenant, settings)]
    return { tenant: name, baseUrl, diagnoses: all, enrolment }
  })
  const twins = await diagnoseTwins(settings.tenants, env)
  const written = await diagnoseOwnChecks(settings.ownChecks, now())
  const general = [
    ...store,
    ...problems,
    ...diagnosePlace(facts),
    ...written,
    ...configWarnings(settings, io.cwd, twins),
  ]
  const every = [...tenants.flatMap(({ diagnoses }) => diagnoses), ...general]
  const count = (level: Diagnosis['level']) => every.filter((one) => one.level === level).length
  return { version, at: toIso(now()), failed: count('fail'), warnings: count('warn'), tenants, general }
}

function openIfPossible(path: string): Opened {
  try {
    return { mirror: openMirror(path, 'beside') }
  } catch (error) {
    return { problem: unusable(error).sentence }
  }
}

/** By tenant, the time before which nothing may be sent: what the engine was told holds here, too. */
async function waitsIn(mirror: Mirror | undefined): Promise<ReadonlyMap<string, StoredWait>> {
  try {
    return new Map((await mirror?.tenants())?.map(({ name, ...wait }) => [name, wait]))
  } catch {
    return new Map()
  }
}

type StoredWait = Pick<TenantRow, 'blockedForMs' | 'blockedUntil'>

const noWait: StoredWait = { blockedUntil: 0, blockedForMs: null }

interface Beside extends StoredWait {
  readonly facts: StoreFacts
}

function clientOf(tenant: TenantSettings, io: Io, { facts, blockedUntil, blockedForMs }: Beside): TenantClient {
  const { clock, random, env } = io
  const { api } = tenant
  const requestsPerSecond =
    api.requestsPerSecond === 0 ? rateBesideEngine : Math.min(api.requestsPerSecond, rateBesideEngine)
  return createTenantClient({
    ...tenant,
    api: facts.lock.held !== false ? { ...api, requestsPerSecond } : api,
    clock,
    random,
    env: (name) => env[name],
    version,
    log: silentLog(),
    resources: enabledNames(tenant),
    blockedUntil,
    blockedForMs,
    retries,
  })
}

type Known = Pick<TenantReport, 'diagnoses' | 'enrolment'>

interface Mirrored {
  readonly known: ReadonlyMap<string, Known>
  readonly problems: readonly Diagnosis[]
}

interface ProbedTenant extends Probed {
  readonly tenant: TenantSettings
  readonly client: TenantClient
}

/** What the mirror tells of the tenants in it, and whether those that answered are they. */
async function mirrored(
  mirror: Mirror | undefined,
  asked: readonly ProbedTenant[],
  settings: Settings,
  io: Io,
): Promise<Mirrored> {
  const known = new Map<string, Known>()
  if (mirror === undefined) return { known, problems: [] }
  try {
    const rows = new Map((await mirror.tenants()).map((row) => [row.name, row]))
    for (const posture of await createViews(mirror, settings, io.clock).posture()) {
      const row = rows.get(posture.tenant)
      const one = asked.find(({ tenant }) => tenant.name === posture.tenant)
      if (row === undefined || one === undefined) continue
      const { tenant, client, pages } = one
      const { identity: state } = posture
      const { reader } = client
      const suspect = { mirror, row, tenant, identity: state, reader, pages, clock: io.clock, signal: io.stop }
      const identity = await diagnoseIdentity(suspect)
      const inDoubt = identity.level === 'fail' || row.former.includes('users')
      const enrolment = inDoubt ? null : await readEnrolment(mirror.records(row.id), tenant)
      known.set(posture.tenant, {
        enrolment,
        diagnoses: [identity, diagnoseEnrolment(enrolment), ...diagnoseWaivers(posture)],
      })
    }
    return { known, problems: [] }
  } catch (error) {
    io.stop.throwIfAborted()
    return { known, problems: [unusable(error)] }
  }
}

function linesOf({ tenants, general, failed, warnings }: Report, io: Io): readonly string[] {
  const marks = marksFor(io)
  const ofTenants = tenants.flatMap(({ tenant, baseUrl, diagnoses, enrolment }) => [
    `${tenant} at ${baseUrl}`,
    diagnosisTable(diagnoses, marks),
    '',
    ...(enrolment === null || enrolment.groups.length === 0 ? [] : [enrolmentTable(enrolment), '']),
  ])
  const summary = `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  return [...ofTenants, diagnosisTable(general, marks), '', summary]
}
