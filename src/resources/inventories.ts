import type { ResourceSeries } from '../metrics/series-config.ts'
import { apiClientsSeries } from './api-clients-gauges.ts'
import { authenticationSettingsSeries } from './authentication-settings-gauges.ts'
import { documentsSeries } from './documents-gauges.ts'
import { permissionsSeries } from './permissions-gauges.ts'
import { rolesSeries } from './roles-gauges.ts'
import { usersSeries } from './users-gauges.ts'

/** What the metrics show of each resource, in alphabetical order. */
export const inventories: readonly ResourceSeries[] = [
  apiClientsSeries,
  authenticationSettingsSeries,
  documentsSeries,
  permissionsSeries,
  rolesSeries,
  usersSeries,
]
