import type { AlertGroup } from '../alert.ts'

export const watchdogAlerts: AlertGroup = {
  name: 'tenantwatch-watchdog',
  why: 'Fires always: what receives it proves that alerts arrive, and can warn when it stops.',
  alerts: () => [
    {
      name: 'TenantwatchWatchdog',
      summary: 'Alerting works',
      description: 'Meant to fire at all times.',
      dashboard: 'operations',
      cases: () => [{ severity: 'none', expr: 'vector(1)' }],
    },
  ],
}
