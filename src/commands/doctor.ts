import { Option } from 'commander'
import { createTenantClient, type TenantClient } from '../api/client.ts'
import type { LoadedSettings } from '../config/load-settings.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { openStore, urlOf } from '../daemon/open-store.ts'
import { createViews } from '../daemon/views.ts'
import { ignoredSettings, openAddress, proxyInUse, tenantWarnings } from '../doctor/configuration.ts'
import { diagnosePlace, diagnoseStore, unusable } from '../doctor/database.ts'
import { type Diagnosis, diagnosis, fine } from '../doctor/diagnosis.ts'
import { diagnoseIdentity, type ExaminedTenant } from '../doctor/identity.ts'
import {
  diagnoseEnrolment,
  diagnoseLeastPrivilege,
  diagnoseMissing,
  enrolmentUnchecked,
  knownClients,
} from '../doctor/mirrored.ts'
import { diagnoseNotifications } from '../doctor/notifications.ts'
import { diagnoseOwnChecks, diagnoseOwnResults } from '../doctor/own-checks.ts'
import { type Probed, probeTenant } from '../doctor/tenant.ts'
import { describeData, describeFailures, describeWaivers, sentencesOf } from '../model/describe.ts'
import { UsageError } from '../model/errors.ts'
import { silentLog } from '../model/log.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { membersOf, toMinute } from '../model/text/formats.ts'
import { plainId } from '../model/text/printable.ts'
import { hidden } from '../model/text/redact.ts'
import { plural } from '../model/text/words.ts'
import { toIso } from '../model/time.ts'
import { readServerFacts } from '../store/db/postgres/server.ts'
import { storeFacts } from '../store/db/sqlite/store-facts.ts'
import type { Mirror, QuarantinedRecord, TenantRow } from '../store/port.ts'
import { waitAt } from '../store/sync/tenant-store.ts'
import { enabledNames } from '../sync/due.ts'
import { addList, type ListRun } from './list.ts'
import { loadConfiguration, openMirror } from './support/configuration.ts'
import { announce } from './support/io.ts'
import { configuredTenant, detailsOption, tenantOption } from './support/options.ts'

interface DoctorOptions {
  readonly tenant?: string
  readonly quarantine?: boolean
  readonly details?: boolean
}

export const addDoctor = addList<DoctorOptions>({
  name: 'doctor',
  summary: 'check endpoints, token, database and configuration, with advice',
  options: [
    tenantOption(),
    new Option('--quarantine', 'only list the records that could not be read, and why; sends no request'),
    detailsOption(),
  ],
  help: `Works beside a running engine, sends only GET requests and changes nothing in the
mirror. Database and configuration are checked as a whole, also with --tenant.

Exit: 0 no failure, warnings are possible; 2 usage or configuration; 3 a failure.

Examples:
  tenantwatch doctor --tenant acme
  tenantwatch doctor --quarantine --details
  tenantwatch doctor --format json | jq '.[] | select(.level != "ok")'`,
  async run(run) {
    const { io, command, options, present } = run
    if (options.quarantine === true) return listQuarantine(run)
    if (options.details === true) throw new UsageError('--details is for the list of --quarantine: give it with that')
    const { settings, ignored } = loadConfiguration(io, command, 'request')
    const tenant = configuredTenant(settings, options.tenant)
    const found = await examine(io, settings, ignored, tenant)
    const count = (level: Diagnosis['level']) => found.filter((one) => one.level === level).length
    return await present({
      rows: found,
      columns: membersOf('tenant', 'level', 'subject', 'permission', 'reason', 'text', 'next'),
      table: {
        LEVEL: ({ level }) => (level === 'fail' ? 'FAIL' : level),
        ...{ TENANT: 'tenant', WHAT: 'subject', PERMISSION: 'permission' },
        FOUND: sentencesOf,
      },
      optional: ['TENANT', 'PERMISSION'],
      lines: 20,
      none: 'Nothing was checked',
      notes: [`${plural(count('fail'), 'failure')}, ${plural(count('warn'), 'warning')}`],
      code: count('fail') === 0 ? exitCodes.ok : exitCodes.failed,
    })
  },
})

/** Which records could not be read, and why. An id that may name a person or a file is for details only. */
async function listQuarantine({ io, command, options, present }: ListRun<DoctorOptions>): Promise<ExitCode> {
  await using opened = await openMirror(io, command)
  const tenant = configuredTenant(opened.settings, options.tenant)
  const idOf = ({ id }: QuarantinedRecord) => (options.details === true || plainId.test(id) ? id : hidden)
  return await present<QuarantinedRecord>({
    rows: (await opened.mirror.quarantined()).filter((one) => tenant === undefined || one.tenant === tenant),
    columns: {
      ...membersOf('tenant', 'resource'),
      id: idOf,
      problem: ({ problem }) => problem,
      since: ({ since }) => toIso(since),
      requestId: ({ requestId }) => requestId,
    },
    table: {
      ...{ TENANT: 'tenant', RESOURCE: 'resource', ID: idOf },
      SINCE: ({ since }) => toMinute(toIso(since)),
      ...{ REQUEST: 'requestId', PROBLEM: 'problem' },
    },
    optional: ['TENANT', 'REQUEST', 'SINCE'],
    lines: 5,
    none: 'No record is quarantined',
  })
}

/** A diagnosis of a tenant, or of the whole installation. */
type Found = Diagnosis & { readonly tenant: string | null }

async function examine(
  io: Io,
  settings: Settings,
  ignored: LoadedSettings['ignored'],
  only: string | undefined,
): Promise<readonly Found[]> {
  announce(io, 'Reading from the tenants and the database')
  const { path, url } = settings.store
  const facts = path === null ? null : storeFacts(path)
  const opened = facts?.exists === false ? null : await openIfPossible(settings, io)
  await using mirror = opened === null || 'level' in opened ? undefined : opened
  const rows = new Map((await mirror?.tenants().catch(() => []))?.map((row) => [row.name, row]))
  await using clients = new AsyncDisposableStack()
  const chosen = settings.tenants.filter(({ name }) => only === undefined || name === only)
  // Create all clients first, so that an error of the environment is reported before any request.
  const probes = chosen.map((tenant) => {
    const row = rows.get(tenant.name)
    const client = clients.use(probingClient(tenant, row, io, facts?.lock.held !== false))
    return { tenant, client, row }
  })
  const probed = await Promise.all(
    probes.map(async (probe) => {
      const known = probe.row && (await mirror?.syncState(probe.row.id, 'api-clients').catch(() => undefined))
      return probeTenant({ ...probe, isEmptyAccepted: known?.emptyAccepted === 'list' }, io.stop)
    }),
  )
  // If that fails, the failure to open the mirror has the reason.
  const server =
    url &&
    (await urlOf(url, io)()
      .then((address) => readServerFacts(address, io))
      .catch(() => null))
  const store = opened === null ? [] : await diagnoseStore({ facts, server, mirror: opened }, settings, io)
  const sound = store.some(({ level }) => level === 'fail') ? undefined : mirror
  const mirrored = sound === undefined ? new Map() : await mirroredIn(sound, probed, settings, io)
  const ofTenants = probed.flatMap(({ tenant, diagnoses }) =>
    [
      ...proxyInUse(tenant, (name) => io.env[name]),
      ...diagnoses,
      ...(mirrored.get(tenant.name) ?? []),
      ...tenantWarnings(tenant),
    ].map((one: Diagnosis) => {
      return { tenant: tenant.name, ...one }
    }),
  )
  const general = [
    ...store,
    ...(mirrored.get(null) ?? []),
    ...(facts === null ? [] : diagnosePlace(facts)),
    ...(await diagnoseOwnChecks(settings.ownChecks, io.clock.now())),
    ...(await diagnoseNotifications(settings, sound, io)),
    ...openAddress(settings, io.cwd),
    ...ignoredSettings(ignored),
  ]
  const all = [...ofTenants, ...general.map((one) => ({ tenant: null, ...one }))]
  return (['fail', 'warn', 'ok'] as const).flatMap((level) => all.filter((one) => one.level === level))
}

/** Requests per second while an engine runs: both count towards the tenant's rate limit. */
const rateBesideEngine = 1

/** A client for probes, which honors the rate-limit wait in the mirror. `besideEngine`: one runs, or may run. */
function probingClient(
  tenant: TenantSettings,
  row: TenantRow | undefined,
  { clock, random, env }: Io,
  besideEngine: boolean,
): TenantClient {
  const { api } = tenant
  const rate = api.requestsPerSecond === 0 ? rateBesideEngine : Math.min(api.requestsPerSecond, rateBesideEngine)
  return createTenantClient({
    ...tenant,
    api: besideEngine ? { ...api, requestsPerSecond: rate } : api,
    clock,
    random,
    env: (name) => env[name],
    log: silentLog(),
    resources: enabledNames(tenant),
    ...waitAt(tenant.baseUrl, row),
    retries: 1,
  })
}

async function openIfPossible(settings: Settings, io: Io): Promise<Mirror | Diagnosis> {
  try {
    return await openStore(settings, 'beside', io)
  } catch (error) {
    if (error instanceof UsageError) throw error
    return { ...unusable(error), next: null }
  }
}

/** Identity, enrolment, data quality and waivers by tenant; under null why the mirror cannot be read. */
async function mirroredIn(
  mirror: Mirror,
  probed: readonly Probed[],
  settings: Settings,
  io: Io,
): Promise<ReadonlyMap<string | null, readonly Diagnosis[]>> {
  const known = new Map<string | null, readonly Diagnosis[]>()
  try {
    const postures = await createViews(mirror, settings, io.clock).posture()
    const clients = await knownClients(mirror, postures)
    for (const one of probed) {
      const { tenant, row } = one
      const posture = postures.find((view) => view.tenant === tenant.name)
      if (row === undefined || posture === undefined) continue
      const examined = { ...one, mirror, row, posture, signal: io.stop }
      const identity = await diagnoseIdentity(examined)
      const isUnproven = identity === null || identity.level === 'fail' || row.former.includes('users')
      const enrolment = isUnproven ? enrolmentUnchecked : await diagnoseEnrolment(examined)
      known.set(tenant.name, [
        ...(identity === null ? [] : [identity, enrolment]),
        ...diagnoseData(examined, identity === null),
        ...(await diagnoseMissing(examined, !isUnproven)),
        ...(isUnproven ? [] : await diagnoseLeastPrivilege(examined, clients)),
        ...describeWaivers(posture.waivers, posture.at).map((one) => diagnosis('waivers', one)),
        ...diagnoseOwnResults(posture, settings.ownChecks),
      ])
    }
  } catch (error) {
    io.stop.throwIfAborted()
    known.set(null, [unusable(error)])
  }
  return known
}

/** Nothing about a tenant without holds that was never read and cannot be read now: the endpoints have the reason. */
function diagnoseData({ posture, pages }: ExaminedTenant, isUnread: boolean): readonly Diagnosis[] {
  const { holds, resources } = posture
  if (isUnread && holds.length === 0 && resources.every(({ dataAsOf }) => dataAsOf === null)) return []
  const readable = resources.filter(({ resource }) => pages.some(({ definition }) => definition.name === resource))
  const failures = describeFailures({ ...posture, resources: readable }).map((one) => {
    return { ...one, subject: `${one.subject}, last run` }
  })
  const found = [...describeData(posture), ...failures]
  if (found.length === 0) return [fine('data', 'every resource is fresh and complete')]
  return found
    .filter(({ state }) => state !== 'missing')
    .map(({ subject, text, ...one }) => diagnosis('data', { ...one, text: `${subject}: ${text}` }))
}
