import type { CheckSettings, ResourceSettings, TenantSettings } from '../../../src/config/settings.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { hourMs, minuteMs } from '../../../src/model/time.ts'
import { resources as catalogue } from '../../../src/resources/index.ts'
import { engineSettings } from '../../support/engine-settings.ts'

const cron = (intervalMs: number) => ({ expression: '* * * * *', intervalMs })
const fullSyncs = { incremental: null, full: cron(30 * minuteMs) }
const incrementals = { incremental: cron(5 * minuteMs), full: cron(hourMs) }

export interface SettingsChanges {
  readonly checks?: Readonly<Record<string, Partial<CheckSettings>>>
  readonly resources?: Readonly<Partial<Record<ResourceName, Partial<ResourceSettings>>>>
}

/** Settings of the tenant `acme`: full syncs each half hour, of users and documents each hour. */
export function tenantSettings({ checks = {}, resources = {} }: SettingsChanges = {}): TenantSettings {
  const rhythms = catalogue.map(({ name, kind }) => {
    return [name, { ...(kind === 'feed' ? incrementals : fullSyncs), ...resources[name] }] as const
  })
  const own = Object.entries(checks).map(([id, one]) => {
    return [id, { enabled: true, severity: null, options: {}, ...one }] as const
  })
  const settings = engineSettings('https://api.example.com', { resources: Object.fromEntries(rhythms) })
  return { ...settings, checks: Object.fromEntries(own) }
}
