import type { InventoryGauge } from '../inventory-gauge.ts'
import { fromMirror } from '../posture-gauge.ts'

const states = ['Active', 'Invited', 'other'] as const
const flags = ['true', 'false'] as const

const users: InventoryGauge = {
  name: 'tenantwatch_users',
  help: `Users by state and by the two multi-factor flags as the tenant sends them, the whole truth table; absent before the first complete full sync. ${fromMirror}`,
  labelNames: ['state', 'mfa_status', 'mfa_action'],
  async read(reader, { complete }) {
    if (!complete) return []
    const counts = new Map<string, number>()
    for (const state of states)
      for (const status of flags) for (const action of flags) counts.set(`${state} ${status} ${action}`, 0)
    for (const { values, count } of await reader.countBy('users', ['state', 'mfaStatus', 'mfaAction'])) {
      const [state, status, action] = values
      const key = `${states.find((known) => known === state) ?? 'other'} ${flag(status)} ${flag(action)}`
      counts.set(key, (counts.get(key) ?? 0) + count)
    }
    return [...counts].map(([key, value]) => {
      const [state = '', mfa_status = '', mfa_action = ''] = key.split(' ')
      return { labels: { state, mfa_status, mfa_action }, value }
    })
  },
}

/** A database may hand a boolean back as 0 or 1. */
function flag(value: unknown): (typeof flags)[number] {
  return value === true || value === 1 ? 'true' : 'false'
}

export const usersGauges: readonly InventoryGauge[] = [users]
