import type { Context } from './context.ts'
import { defaultCron } from './cron-schedule.ts'
import { effective } from './effective.ts'
import { readHousekeeping } from './housekeeping.ts'
import { readLimits } from './limits.ts'
import { readOverridable } from './overridable.ts'
import { readGeneralSchedule } from './schedule.ts'
import { readMap } from './section.ts'
import { readServer } from './server.ts'
import type { Settings } from './settings.ts'
import { readTenants, tenantNames } from './tenants.ts'
import { readWaivers } from './waivers.ts'

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
  'waivers',
  'log',
]

/** Makes settings of a configuration as written; they hold only when the report stays empty. */
export function readSettings(written: unknown, context: Context): Settings {
  const raw = readMap(written, [], context.report)
  for (const key of Object.keys(raw)) if (!keys.includes(key)) context.report.unknownKey([key], keys)
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
    waivers: readWaivers(raw['waivers'], names, context),
  }
}
