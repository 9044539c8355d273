import type { InventoryGauge } from '../metrics/inventory-gauge.ts'
import type { ResourceSeries } from '../metrics/series-config.ts'
import { reasons } from '../model/reasons.ts'

/** The catalogue of permissions has no gauge of its own: its size is `tenantwatch_mirror_records`. */
export const permissionsGauges: readonly InventoryGauge[] = []

export const permissionsSeries: ResourceSeries = {
  resource: 'permissions',
  failures: reasons.filter((reason) => !['invalid_cursor', 'shrink_held', 'suspect_empty'].includes(reason)),
  holds: [],
  contractEvents: [
    'contradictory',
    'invalid_id',
    'order_violation',
    'unknown_field',
    'unknown_value',
    'unreadable_time',
  ],
  gauges: permissionsGauges,
}
