import type { CheckSettings, TenantSettings } from '../../src/config/settings.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { minuteMs } from '../../src/model/time.ts'
import { engineSettings } from '../support/engine-settings.ts'
import type { Prng } from './prng.ts'
import type { DocumentTruth, worldResources } from './world.ts'

/** Thresholds short enough to be crossed within a simulated day. */
export const thresholds = { expiringHours: 2.4, invitedHours: 2, statusHours: 1, currentDays: 89, lifetimeDays: 365 }

const requirement = { id: 'policy', pattern: 'policy-*' }

export function meetsRequirement({ uploadStatus, filename }: DocumentTruth): boolean {
  return uploadStatus === 'Completed' && filename.startsWith('policy-')
}

const options = (values: Record<string, unknown>): CheckSettings => ({ enabled: true, severity: null, options: values })

const off = Object.fromEntries(resourceNames.map((name) => [name, { enabled: false }]))

/** A configuration of the daemon whose rhythm fits into hours, at a pace of 1, chosen by the seed. */
export function chooseSettings(prng: Prng, pace = 1): TenantSettings {
  const cron = (minutes: number) => ({ expression: '* * * * *', intervalMs: minutes * minuteMs * pace })
  const incremental = cron(10)
  const resource = (full: number, incrementals: boolean) => ({
    incremental: incrementals ? incremental : null,
    full: cron(full),
  })
  const simulated: Readonly<Record<(typeof worldResources)[number], ReturnType<typeof resource>>> = {
    'api-clients': resource(prng.pick([10, 20, 30]), false),
    'authentication-settings': resource(10, false),
    documents: resource(prng.pick([30, 60]), true),
    permissions: resource(60, false),
    roles: resource(prng.pick([10, 20, 30]), false),
    users: resource(prng.pick([10, 20, 40]), true),
  }
  return {
    ...engineSettings('https://tenant.test', {
      api: { requestsPerSecond: prng.pick([0, 10]), timeoutMs: 10_000, maxPages: 1000 },
      resources: { ...off, ...simulated },
      userDetails: { perRun: prng.pick([20, 200]), concurrency: prng.pick([1, 4]) },
    }),
    checks: {
      'api-client-secret-not-expiring': options({ days: thresholds.expiringHours / 24, highDays: 0.01 }),
      'document-current': options({ days: thresholds.currentDays }),
      'document-processing-finished': options({ hours: thresholds.statusHours }),
      'document-required-present': options({ requirements: [{ ...requirement, maxAgeDays: null }] }),
      'document-status-known': options({ hours: thresholds.statusHours }),
      'user-invitation-accepted': options({
        days: thresholds.invitedHours / 24,
        highDays: thresholds.invitedHours / 12,
      }),
    },
  }
}
