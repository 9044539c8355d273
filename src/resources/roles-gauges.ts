import type { InventoryGauge } from '../metrics/inventory-gauge.ts'
import { fromMirror } from '../metrics/posture-gauge.ts'
import type { ResourceSeries } from '../metrics/series-config.ts'
import { reasons } from '../model/reasons.ts'

const roles: InventoryGauge = {
  name: 'tenantwatch_roles',
  help: `Roles by state; "other" is any state but Active, the only value the API's specification shows. Absent before the first complete full sync. ${fromMirror}`,
  labelNames: ['state'],
  async read(reader, { complete }) {
    if (!complete) return []
    const counts = { Active: 0, other: 0 }
    for (const { values, count } of await reader.countBy('roles', ['state'])) {
      counts[values[0] === 'Active' ? 'Active' : 'other'] += count
    }
    return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
  },
}

export const rolesGauges: readonly InventoryGauge[] = [roles]

export const rolesSeries: ResourceSeries = {
  resource: 'roles',
  failures: reasons.filter((reason) => reason !== 'invalid_cursor' && reason !== 'shrink_held'),
  holds: ['suspect_empty'],
  contractEvents: [
    'contradictory',
    'invalid_id',
    'order_violation',
    'unknown_field',
    'unknown_value',
    'unreadable_time',
  ],
  gauges: rolesGauges,
}
