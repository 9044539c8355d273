import type { ResourceName } from '../../model/resource-names.ts'
import type { Catalogue, CronSchedule, ResourceDefaults, ResourceSettings } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { readSection, type Section } from '../yaml/section.ts'
import { cron, defaultCron } from './cron-schedule.ts'
import { timezone } from './timezone.ts'

/** When resources are synced, by key of `schedule`; keys that are not set are absent. */
export type ScheduleSection = Readonly<Record<string, CronSchedule | undefined>>

const generalShape = { evaluate: cron().optional(), timezone: timezone().optional() }

/** The key of a resource's full sync: its own name when there is nothing else to schedule. */
export function fullSyncKey(name: ResourceName, hasIncremental: boolean): string {
  return hasIncremental ? `${name}Full sync` : name
}

/** Reads the `schedule` of one tenant: the resources alone. */
export function readSchedule(raw: unknown, path: KeyPath, { catalogue, report }: Context): ScheduleSection {
  return readSection(resourceShape(catalogue), raw, path, report)
}

/** Reads the `schedule` of the whole configuration, with its two keys that no tenant can override. */
export function readGeneralSchedule(
  raw: unknown,
  path: KeyPath,
  { catalogue, report }: Context,
): { readonly resources: ScheduleSection; readonly general: Section<typeof generalShape> } {
  const { evaluate, timezone, ...resources } = readSection(
    { ...resourceShape(catalogue), ...generalShape },
    raw,
    path,
    report,
  )
  const general = { ...(evaluate && { evaluate }), ...(timezone !== undefined && { timezone }) }
  // The catalogue's own schedule, so that it is read once and not for each tenant.
  return { resources: { ...catalogueSchedule(catalogue), ...resources }, general }
}

function catalogueSchedule(catalogue: Catalogue): ScheduleSection {
  const schedules = catalogue.resources.map(({ name }) => {
    const { incremental, full } = scheduleOf(catalogue, name, {})
    return incremental === null ? { [name]: full } : { [name]: incremental, [fullSyncKey(name, true)]: full }
  })
  return Object.assign({}, ...schedules) as ScheduleSection
}

/** When one resource runs: what the configuration says, else the catalogue. */
export function scheduleOf(
  catalogue: Catalogue,
  name: ResourceName,
  section: ScheduleSection,
): Pick<ResourceSettings, 'incremental' | 'full'> {
  const { incremental, full } = defaultsOf(catalogue, name)
  return {
    incremental: incremental === undefined ? null : (section[name] ?? defaultCron(incremental)),
    full: section[fullSyncKey(name, incremental !== undefined)] ?? defaultCron(full),
  }
}

function resourceShape({ resources }: Catalogue) {
  const keys = resources.flatMap(({ name, schedule }) =>
    schedule.incremental === undefined ? [name] : [name, fullSyncKey(name, true)],
  )
  return Object.fromEntries(keys.map((key) => [key, cron().optional()]))
}

function defaultsOf({ resources }: Catalogue, name: ResourceName): ResourceDefaults['schedule'] & { full: string } {
  const { incremental, full } = resources.find((resource) => resource.name === name)?.schedule ?? {}
  if (full === undefined) throw new Error(`The catalogue has no full sync schedule of ${name}`)
  return incremental === undefined ? { full } : { incremental, full }
}
