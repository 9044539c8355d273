import type { InventoryGauge } from '../inventory-gauge.ts'
import { fromMirror } from '../posture-gauge.ts'

/** Each as the tenant sent it last; absent until it was read. */
export const authenticationSettingsGauges: readonly InventoryGauge[] = [
  settingGauge('tenantwatch_mfa_policy_enabled', 'mfaEnabled', 'the tenant-wide multi-factor policy is on'),
  settingGauge('tenantwatch_sso_enabled', 'ssoEnabled', 'single sign-on is set up'),
  settingGauge('tenantwatch_sso_enforced', 'ssoEnforced', 'single sign-on is the only way in'),
]

function settingGauge(
  name: string,
  field: 'mfaEnabled' | 'ssoEnabled' | 'ssoEnforced',
  meaning: string,
): InventoryGauge {
  return {
    name,
    help: `1 when ${meaning}, 0 when not; absent until first read. ${fromMirror}`,
    labelNames: [],
    async read(reader) {
      for await (const [record] of reader.select('authentication-settings')) {
        if (record !== undefined) return [{ labels: {}, value: Number(record.fields[field]) }]
      }
      return []
    },
  }
}
