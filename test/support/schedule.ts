import { resources } from '../../src/resources/index.ts'

/** A `schedule` in which everything is due by one cron expression. */
export function scheduleOfAll(cron: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries([
    ...resources.map(({ name, kind }) => [name, kind === 'feed' ? { incremental: cron, full: cron } : { full: cron }]),
    ['evaluate', cron],
  ])
}

/** The same as a line of YAML. */
export const scheduleLine = (cron: string): string => `schedule: ${JSON.stringify(scheduleOfAll(cron))}`
