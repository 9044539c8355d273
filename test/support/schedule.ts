const feeds = ['users', 'documents']
const lists = ['api-clients', 'roles', 'permissions', 'authentication-settings']

/** A `schedule` in which everything is due by one cron expression. */
export function scheduleOfAll(cron: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries([
    ...feeds.map((name) => [name, { incremental: cron, full: cron }]),
    ...lists.map((name) => [name, { full: cron }]),
    ['evaluate', cron],
  ])
}

/** The same as a line of YAML. */
export const scheduleLine = (cron: string): string => `schedule: ${JSON.stringify(scheduleOfAll(cron))}`
