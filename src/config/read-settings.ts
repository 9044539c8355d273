import * as z from 'zod'
import { dayMs, hourMs } from '../model/durations.ts'
import { readSecretSource } from './auth.ts'
import { defaultCron } from './cron.ts'
import { listen } from './listen.ts'
import { effective, readOverridable } from './overridable.ts'
import { readOwnChecks, withOwnChecks } from './own-checks/own-checks.ts'
import { readGeneralSchedule } from './schedule.ts'
import type { Settings, StoreSettings, TenantSettings } from './settings.ts'
import { type Common, readTenant } from './tenant.ts'
import { readWaivers } from './waivers.ts'
import type { Context } from './yaml/context.ts'
import { choice, duration, numberBetween, text, wholeNumber } from './yaml/leaves.ts'
import { readList, readMap, readSection, valueAt } from './yaml/section.ts'

const wantedHost = 'expected a host name such as tenantwatch.example.com, without scheme and port'
const hostName = /^[a-z\d_~](?:[\w.~-]*[\w~])?\.?$/i

const fields = {
  listen: listen().optional(),
  webConfig: text('expected the path of a web configuration file').nullish(),
  exposeDetails: z.union([z.boolean(), z.literal('auto')], { error: 'expected auto, true or false' }).optional(),
  allowedHosts: z
    .array(
      text(wantedHost, hostName).transform((name) => name.toLowerCase().replace(/\.$/, '')),
      { error: 'expected a list of host names such as [tenantwatch.example.com]' },
    )
    .optional(),
}

const loopback = { host: '127.0.0.1', port: 9469 }

function readServer(raw: unknown, { report, exists }: Context): Settings['server'] {
  const section = readSection(fields, raw, ['server'], report)
  const { listen = loopback, webConfig = null, exposeDetails = 'auto', allowedHosts = [] } = section
  if (webConfig !== null && !exists(webConfig)) {
    report.wrong(['server', 'webConfig'], webConfig, 'expected a file that exists')
  }
  return { ...listen, webConfig, exposeDetails, allowedHosts }
}

const wantedStore = 'expected the path of the database file'
const storeFields = { path: text(wantedStore, /^(?!\s*:memory:).*\S/s).optional(), url: z.unknown() }

function readStore(raw: unknown, context: Context): StoreSettings {
  const { path, url } = readSection(storeFields, raw, ['store'], context.report)
  if (url === undefined || url === null) {
    const file = path ?? 'data/tenantwatch.db'
    // Other commands report the problem when they open the file.
    const unfit = context.strict ? context.whyUnfit(file, Number.POSITIVE_INFINITY) : null
    if (unfit !== null) context.report.wrong(['store', 'path'], file, `${unfit}; ${wantedStore}`)
    return { path: file, url: null }
  }
  if (path !== undefined) context.report.problem(['store'], 'names path and url; expected exactly one of them')
  const source = readSecretSource(url, ['store', 'url'], context, 'the URL')
  return source === undefined ? { path: '', url: null } : { path: null, url: source }
}

const sections = {
  history: { retentionDays: wholeNumber(1, 36_500).optional() },
  log: { level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional() },
}

function readHousekeeping(
  raw: Readonly<Record<string, unknown>>,
  context: Context,
): Pick<Settings, 'historyRetentionDays' | 'store' | 'logLevel'> {
  const { report } = context
  const { retentionDays = 400 } = readSection(sections.history, raw['history'], ['history'], report)
  const { level = 'info' } = readSection(sections.log, raw['log'], ['log'], report)
  return { historyRetentionDays: retentionDays, store: readStore(raw['store'], context), logLevel: level }
}

const keys = [
  'tenants',
  'resources',
  'api',
  'schedule',
  'freshness',
  'users',
  'userDetails',
  'documents',
  'removals',
  'history',
  'store',
  'server',
  'checks',
  'ownChecks',
  'waivers',
  'log',
]

/** The settings are valid only if the report stays empty. */
export function readSettings(written: unknown, given: Context): Settings {
  const raw = readMap(written, [], given.report)
  for (const key of Object.keys(raw)) if (!keys.includes(key)) given.report.unknownKey([key], keys)
  const ownChecks = readOwnChecks(raw['ownChecks'], given)
  const context = { ...given, catalogue: withOwnChecks(given.catalogue, ownChecks) }
  const { resources, general: times } = readGeneralSchedule(raw['schedule'], ['schedule'], context)
  const general = readOverridable(raw, [], resources, context)
  const inForce = effective(general, null, context)
  const tenants = readTenants(raw['tenants'], { general, inForce, limits: readLimits(raw, context) }, context)
  const names = tenantNames(raw['tenants']).filter((name) => name !== undefined)
  return {
    tenants,
    evaluate: times.evaluate ?? defaultCron('* * * * *'),
    timezone: times.timezone ?? 'UTC',
    ...readHousekeeping(raw, context),
    server: readServer(raw['server'], context),
    ownChecks,
    waivers: readWaivers(raw['waivers'], names, context),
  }
}

function readTenants(raw: unknown, common: Common, context: Context): readonly TenantSettings[] {
  const list = readList(raw, ['tenants'], context.report)
  const noList = raw === null || Array.isArray(raw)
  if (raw === undefined) context.report.wrong(['tenants'], raw, 'expected a list of at least one tenant')
  else if (list.length === 0 && noList) context.report.problem(['tenants'], 'lists no tenant; expected at least one')
  const names = tenantNames(raw)
  const firstOf = new Map<string, number>()
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue
    const first = firstOf.get(name)
    firstOf.set(name, first ?? index)
    if (first === undefined) continue
    context.report.wrong(['tenants', index, 'name'], name, `\`tenants[${first}]\` has this name already`)
  }
  return list.flatMap((item, index) => readTenant(item, ['tenants', index], common, context) ?? [])
}

/** The names as written, including those of invalid tenants. */
function tenantNames(raw: unknown): readonly (string | undefined)[] {
  if (!Array.isArray(raw)) return []
  return raw.map((item) => {
    const name = valueAt(item, ['name'])
    return typeof name === 'string' ? name : undefined
  })
}

const million = 1_000_000
const wantedStatuses = 'expected a list of document statuses, such as [Completed, Processing]; null may be one'

/** The states in the API's specification. */
const shownStates = ['Active', 'Invited']

const limitSections = {
  users: { knownStates: z.array(text('expected a state of users, such as Deactivated')).max(50).optional() },
  userDetails: { perRun: wholeNumber(0, million).optional(), concurrency: wholeNumber(1, 64).optional() },
  documents: {
    overlap: duration(365 * dayMs, '365d').optional(),
    knownStatuses: z
      .array(text('expected a text or null').nullable(), { error: wantedStatuses })
      .min(1, { error: wantedStatuses })
      .optional(),
  },
  removals: {
    maxPercent: numberBetween(0, 100).optional(),
    maxCount: wholeNumber(0, million).optional(),
    confirmPerRun: wholeNumber(1, million).optional(),
  },
}

function readLimits(
  raw: Readonly<Record<string, unknown>>,
  { report }: Context,
): Pick<TenantSettings, 'users' | 'userDetails' | 'documents' | 'removals'> {
  const { overlap = hourMs, knownStatuses = ['Completed', 'Processing'] } = readSection(
    limitSections.documents,
    raw['documents'],
    ['documents'],
    report,
  )
  const { knownStates = [] } = readSection(limitSections.users, raw['users'], ['users'], report)
  const userDetails = readSection(limitSections.userDetails, raw['userDetails'], ['userDetails'], report)
  const removals = readSection(limitSections.removals, raw['removals'], ['removals'], report)
  return {
    users: { knownStates: [...new Set([...shownStates, ...knownStates])] },
    userDetails: { perRun: 200, concurrency: 4, ...userDetails },
    documents: { overlapMs: overlap, knownStatuses: [...new Set(knownStatuses)] },
    removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000, ...removals },
  }
}
