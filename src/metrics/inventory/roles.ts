import type { InventoryGauge } from '../inventory-gauge.ts'
import { fromMirror } from '../posture-gauge.ts'

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
