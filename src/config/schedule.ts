import type { ResourceName } from '../model/resource-names.ts'
import type { Context } from './context.ts'
import { cron, defaultCron } from './cron-schedule.ts'
import type { KeyPath } from './key-path.ts'
import { readSection, type Section } from './section.ts'
import type { Catalogue, CronSchedule, ResourceDefaults, ResourceSettings } from './settings.ts'
import { timezone } from './timezone.ts'

/** When resources are synced, by key of `schedule`; keys that are not set are absent. */
export type ScheduleSection = Readonly<Record<string, CronSchedule | undefined>>

const generalShape = { evaluate: cron().optional(), timezone: timezone().optional() }

/** The key of a resource's sweep: its own name when there is nothing else to schedule. */
export function sweepKey(name: ResourceName, hasPoll: boolean): string {
  return hasPoll ? `${name}Sweep` : name
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
    const { poll, sweep } = scheduleOf(catalogue, name, {})
    return poll === null ? { [name]: sweep } : { [name]: poll, [sweepKey(name, true)]: sweep }
  })
  return Object.assign({}, ...schedules) as ScheduleSection
}

/** When one resource runs: what the configuration says, else the catalogue. */
export function scheduleOf(
  catalogue: Catalogue,
  name: ResourceName,
  section: ScheduleSection,
): Pick<ResourceSettings, 'poll' | 'sweep'> {
  const { poll, sweep } = defaultsOf(catalogue, name)
  return {
    poll: poll === undefined ? null : (section[name] ?? defaultCron(poll)),
    sweep: section[sweepKey(name, poll !== undefined)] ?? defaultCron(sweep),
  }
}

function resourceShape({ resources }: Catalogue) {
  const keys = resources.flatMap(({ name, schedule }) =>
    schedule.poll === undefined ? [name] : [name, sweepKey(name, true)],
  )
  return Object.fromEntries(keys.map((key) => [key, cron().optional()]))
}

function defaultsOf({ resources }: Catalogue, name: ResourceName): ResourceDefaults['schedule'] & { sweep: string } {
  const { poll, sweep } = resources.find((resource) => resource.name === name)?.schedule ?? {}
  if (sweep === undefined) throw new Error(`The catalogue has no sweep schedule of ${name}`)
  return poll === undefined ? { sweep } : { poll, sweep }
}
