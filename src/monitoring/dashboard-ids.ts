/** Dashboards over the metrics. */
export const dashboardIds = ['fleet', 'operations', 'posture'] as const

export type DashboardId = (typeof dashboardIds)[number]

/** Dashboards over the views of a mirror in PostgreSQL (docs/sql.md#dashboard). */
export const sqlDashboardIds = ['records'] as const

export type SqlDashboardId = (typeof sqlDashboardIds)[number]

/** `tenantwatch-<id>`, fixed, so that links survive a new import. */
export function dashboardUid(id: DashboardId | SqlDashboardId): string {
  return `tenantwatch-${id}`
}
