import { effective } from './effective.ts'
import { readHousekeeping } from './housekeeping.ts'
import { readLimits } from './limits.ts'
import { readOverridable } from './overridable.ts'
import { readOwnChecks, withOwnChecks } from './own-checks/own-checks.ts'
import { defaultCron } from './schedule/cron-schedule.ts'
import { readGeneralSchedule } from './schedule/schedule.ts'
import { readServer } from './server.ts'
import type { Settings } from './settings.ts'
import { readTenants, tenantNames } from './tenants.ts'
import { readWaivers } from './waivers.ts'
import type { Context } from './yaml/context.ts'
import { readMap } from './yaml/section.ts'

const keys = [
  'tenants',
  'resources',
  'api',
  'schedule',
  'freshness',
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

/** Makes settings of a configuration as written; they hold only when the report stays empty. */
export function readSettings(written: unknown, given: Context): Settings {
  const raw = readMap(written, [], given.report)
  for (const key of Object.keys(raw)) if (!keys.includes(key)) given.report.unknownKey([key], keys)
  const ownChecks = readOwnChecks(raw['ownChecks'], given)
  const context = { ...given, catalogue: withOwnChecks(given.catalogue, ownChecks) }
  const { resources, general: times } = readGeneralSchedule(raw['schedule'], ['schedule'], context)
  const general = readOverridable(raw, [], resources, context)
  effective(general, null, context)
  const tenants = readTenants(raw['tenants'], { general, limits: readLimits(raw, context) }, context)
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
