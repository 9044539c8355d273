import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../model/process/package-file.ts'

/** Dashboards over the metrics. */
export const dashboardIds = ['fleet', 'operations', 'posture'] as const

/** Dashboards over the views of a mirror in PostgreSQL (docs/sql.md#dashboard). */
export const sqlDashboardIds = ['records'] as const

export type DashboardId = (typeof dashboardIds)[number]
export type SqlDashboardId = (typeof sqlDashboardIds)[number]

/** Values of the label `severity`, which for alerts about findings is theirs; `none` is for the watchdog, which always fires. */
export const alertSeverities = ['critical', 'high', 'medium', 'none'] as const

export type AlertSeverity = (typeof alertSeverities)[number]

/** The label `job` in the shipped rules and dashboards. */
export const defaultJob = 'tenantwatch'

/**
 * A file of `config/`, beside the program as it is installed.
 *
 * @throws Error when the installation lacks it.
 */
export function shippedFile(name: string): string {
  const path = packageFile(join('config', name))
  if (path === null) throw new Error(`Cannot find config/${name} of the installation`)
  return readFileSync(path, 'utf8')
}

/** A shipped dashboard of Grafana, for scrapes of the given job. */
export function dashboard(id: DashboardId | SqlDashboardId, job: string = defaultJob): string {
  const quoted = (name: string) => `job=\\"${name}\\"`
  return shippedFile(`grafana/${id}.json`).replaceAll(quoted(defaultJob), () => quoted(job))
}
