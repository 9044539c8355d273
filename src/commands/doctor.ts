import type { Command } from 'commander'
import type { TenantClient } from '../api/reader.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { openStore, urlOf } from '../daemon/open-store.ts'
import { createViews } from '../daemon/views.ts'
import {
  configWarnings,
  diagnoseAllowed,
  diagnoseWaivers,
  ignoredStorePath,
  tenantWarnings,
} from '../doctor/config-warnings.ts'
import { diagnoseData, isUnmirrored } from '../doctor/data-quality.ts'
import { diagnosePlace, diagnoseStore, type Opened, unusable } from '../doctor/database.ts'
import { type Diagnosis, namingConfig } from '../doctor/diagnosis.ts'
import { diagnoseEnrolment, type Enrolment, readEnrolment } from '../doctor/enrolment.ts'
import { diagnoseIdentity, diagnoseSharedRecords } from '../doctor/identity.ts'
import { diagnoseOwnChecks, diagnoseOwnResults } from '../doctor/own-checks.ts'
import { type Probed, probeTenant } from '../doctor/probe-tenant.ts'
import { diagnosisTable, enrolmentTable, failuresInWords, marksFor } from '../doctor/render.ts'
import { toIso } from '../model/dates.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { plural } from '../model/text/numbers.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { terminalOf } from '../report/terminal.ts'
import { readServerFacts, type ServerFacts } from '../store/db/postgres/server.ts'
import { storeFacts } from '../store/db/sqlite/store-facts.ts'
import type { Mirror } from '../store/port.ts'
import { loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { probingClients } from './support/doctor-clients.ts'
import { type StatusLine, statusLine } from './support/io.ts'
import { oneOf, tenantOption } from './support/options.ts'
import { listQuarantine } from './support/quarantine-list.ts'

const formats = ['table', 'json'] as const

export function addDoctor(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description('check endpoints, token, database and configuration, with advice')
    .option('--tenant <name>', 'only this tenant; database and configuration are checked as a whole')
    .option('--format <format>', formats.join(', '), 'table')
    .option('--quarantine', 'only list the records that could not be read, and why; sends no request')
    .option('--details', 'with --quarantine: also ids that may name a person or a file')
    .addHelpText(
      'after',
      `
Works beside a running engine, sends only GET requests and changes nothing in the mirror.

Exit: 0 no failure, warnings (!) are possible; 2 usage or configuration; 3 a failure (✗) was found.

Examples:
  tenantwatch doctor
  tenantwatch doctor --tenant acme
  tenantwatch doctor --quarantine
  tenantwatch doctor --format json | jq '.tenants[].diagnoses[] | select(.level != "ok")'`,
    )
    .action(async ({ format, quarantine = false, details = false, ...given }: DoctorOptions, command: Command) => {
      const wanted = oneOf('format', formats, format)
      if (details && !quarantine) throw new UsageError('--details is for the list of --quarantine: give it with that')
      if (quarantine) {
        const { settings } = loadConfiguration(io, command)
        const tenant = tenantOption(settings, given.tenant)
        await using mirror = await openVerifiedMirror(settings, io)
        await listQuarantine(io, command, mirror, { format: wanted, details, tenant })
        return done(exitCodes.ok)
      }
      const { settings, ignoredPath } = loadConfiguration(io, command, { needsSecrets: true })
      const tenant = tenantOption(settings, given.tenant)
      const line = statusLine(io)
      const { config } = command.optsWithGlobals<{ config?: string }>()
      const report = await examine(io, settings, { line, ignoredPath, tenant, config }).finally(line.clear)
      if (wanted === 'json') print(io, printableJson(report))
      else for (const line of linesOf(report, io)) print(io, line)
      done(report.failed === 0 ? exitCodes.ok : exitCodes.failed)
    })
}

interface DoctorOptions {
  readonly tenant?: string
  readonly format: string
  readonly quarantine?: boolean
  readonly details?: boolean
}

interface TenantReport {
  readonly tenant: string
  readonly baseUrl: string
  readonly diagnoses: readonly Diagnosis[]
  /** Null if no users are mirrored, or they may be another tenant's. */
  readonly enrolment: Enrolment | null
}

interface Report {
  readonly version: string
  readonly at: string
  readonly failed: number
  readonly warnings: number
  readonly tenants: readonly TenantReport[]
  readonly general: readonly Diagnosis[]
}

interface Examining {
  readonly line: StatusLine
  readonly ignoredPath: string | null
  /** The only tenant to be read; undefined = all. */
  readonly tenant: string | undefined
  /** The configuration file for the commands that the texts quote. */
  readonly config: string | undefined
}

async function examine(
  io: Io,
  settings: Settings,
  { line, ignoredPath, tenant: only, config }: Examining,
): Promise<Report> {
  const { path } = settings.store
  const facts = path === null ? null : storeFacts(path)
  const opened = facts?.exists === false ? { problem: 'not there' } : await openIfPossible(settings, io)
  await using mirror = 'mirror' in opened ? opened.mirror : undefined
  const clientOf = await probingClients(mirror, io, facts?.lock.held !== false)
  line.say('Reading from the tenants')
  await using clients = new AsyncDisposableStack()
  // Create all clients first, so that an error of the environment is reported before any request.
  const chosen = settings.tenants.filter(({ name }) => only === undefined || name === only)
  const probes = chosen.map((tenant) => ({
    tenant,
    client: clients.use(clientOf(tenant)),
  }))
  const now = () => io.clock.now()
  const env = (name: string) => io.env[name]
  const probed = await Promise.all(
    probes.map(async (probe) => ({ ...probe, ...(await probeTenant({ ...probe, now, signal: io.stop, env })) })),
  )
  line.say('Reading the database')
  const server = await serverOf(settings, io)
  const retentionDays = settings.historyRetentionDays
  const names = settings.tenants.map(({ name }) => name)
  const reading = { opened, server, tenants: names, now: now(), signal: io.stop, retentionDays }
  const store = facts?.exists === false ? [] : await diagnoseStore(facts, reading)
  const sound = store.every(({ level }) => level !== 'fail') ? mirror : undefined
  const { known, problems } = await mirrored(sound, probed, settings, io)
  const tenants = probed.map(({ tenant, diagnoses: probed }) => {
    const { enrolment = null, diagnoses = [] } = known.get(tenant.name) ?? {}
    const { name, baseUrl } = tenant
    const all = [...probed, ...diagnoses, ...tenantWarnings(tenant)]
    return { tenant: name, baseUrl, diagnoses: namingConfig(all, config), enrolment }
  })
  const written = await diagnoseOwnChecks(settings.ownChecks, now())
  const found = [
    ...store,
    ...problems,
    ...diagnoseSharedRecords(probed),
    ...(facts === null ? [] : diagnosePlace(facts)),
    ...written,
    ...configWarnings(settings, io.cwd, ignoredStorePath(ignoredPath)),
  ]
  const general = namingConfig(found, config)
  const every = [...tenants.flatMap(({ diagnoses }) => diagnoses), ...general]
  const count = (level: Diagnosis['level']) => every.filter((one) => one.level === level).length
  return { version, at: toIso(now()), failed: count('fail'), warnings: count('warn'), tenants, general }
}

/** Null for a file, and for a server that cannot be examined: the failure to open the mirror has the reason. */
async function serverOf({ store }: Settings, io: Io): Promise<ServerFacts | null> {
  if (store.url === null) return null
  try {
    return await readServerFacts(await urlOf(store.url, io)(), io.clock)
  } catch {
    return null
  }
}

async function openIfPossible(settings: Settings, io: Io): Promise<Opened> {
  try {
    return { mirror: await openStore(settings, 'beside', io) }
  } catch (error) {
    if (error instanceof UsageError) throw error
    return { problem: unusable(error).sentence }
  }
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

/** Identity, enrolment and waivers of the mirrored tenants. */
async function mirrored(
  mirror: Mirror | undefined,
  probed: readonly ProbedTenant[],
  settings: Settings,
  io: Io,
): Promise<Mirrored> {
  const known = new Map<string, Known>()
  if (mirror === undefined) return { known, problems: [] }
  try {
    const rows = new Map((await mirror.tenants()).map((row) => [row.name, row]))
    for (const posture of await createViews(mirror, settings, io.clock).posture()) {
      const row = rows.get(posture.tenant)
      const one = probed.find(({ tenant }) => tenant.name === posture.tenant)
      if (row === undefined || one === undefined) continue
      const { tenant, client, pages } = one
      const { reader } = client
      const request = { mirror, row, tenant, posture, reader, pages, clock: io.clock, signal: io.stop }
      const identity = await diagnoseIdentity(request)
      const isUnproven = identity === null || identity.level === 'fail' || row.former.includes('users')
      const records = mirror.records(row.id)
      const enrolment = isUnproven ? null : await readEnrolment(mirror, row.id, tenant)
      const allowed = isUnproven ? [] : await diagnoseAllowed(records, tenant)
      known.set(posture.tenant, {
        enrolment,
        diagnoses: [
          ...(identity === null ? [] : [identity, diagnoseEnrolment(enrolment)]),
          ...(identity === null && isUnmirrored(posture) ? [] : diagnoseData(posture)),
          ...allowed,
          ...diagnoseWaivers(posture),
          ...diagnoseOwnResults(posture, settings.ownChecks),
        ],
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
  const diagnosed = (found: readonly Diagnosis[]) => diagnosisTable(found, marks, terminalOf(io))
  const ofTenants = tenants.flatMap(({ tenant, baseUrl, diagnoses, enrolment }) => [
    `${tenant} at ${baseUrl}`,
    diagnosed(diagnoses),
    '',
    ...(enrolment === null || enrolment.groups.length === 0 ? [] : [enrolmentTable(enrolment), '']),
  ])
  const all = [...tenants.map(({ diagnoses }) => diagnoses), general]
  const summary = `${failuresInWords(all, failed)}, ${plural(warnings, 'warning')}`
  return [...ofTenants, diagnosed(general), '', summary]
}
