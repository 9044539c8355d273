/** The `uid` of each dashboard is `tenantwatch-<id>`. */
export const dashboardIds = ['fleet', 'operations', 'posture'] as const

export type DashboardId = (typeof dashboardIds)[number]

/** Fixed, so that links survive a new import. */
export function dashboardUid(id: DashboardId): string {
  return `tenantwatch-${id}`
}
