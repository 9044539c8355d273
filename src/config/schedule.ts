import type { ResourceName } from '../model/resource-names.ts'
import { cron, defaultCron } from './cron.ts'
import type { Catalogue, CronSchedule, ResourceDefaults, ResourceSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { text } from './yaml/leaves.ts'
import type { KeyPath } from './yaml/report.ts'
import { readMap, readSection, type Section } from './yaml/section.ts'

function timezone() {
  const wanted = 'expected a time zone such as UTC or Europe/Berlin'
  return text(wanted).refine(isTimezone, { error: wanted })
}

function isTimezone(name: string): boolean {
  // Avoids loading the time zone tables, which stay in memory, for the default.
  if (name === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Schedules by key below `schedule`, such as `users.full`. */
export type ScheduleSection = Readonly<Record<string, CronSchedule | undefined>>

const generalFields = { evaluate: cron().optional(), timezone: timezone().optional() }
const incremental = { incremental: cron().optional() }
const full = { full: cron().optional() }

export function readSchedule(raw: unknown, path: KeyPath, context: Context): ScheduleSection {
  return readResources(raw, path, context, [])
}

export function readGeneralSchedule(
  raw: unknown,
  path: KeyPath,
  context: Context,
): { readonly resources: ScheduleSection; readonly general: Section<typeof generalFields> } {
  const { catalogue, report } = context
  const resources = readResources(raw, path, context, Object.keys(generalFields))
  const { evaluate, timezone } = readMap(raw, path, report)
  const general = readSection(generalFields, { evaluate, timezone }, path, report)
  // The defaults of the catalogue are parsed once, not for each tenant.
  return { resources: { ...catalogueSchedule(catalogue), ...resources }, general }
}

function readResources(
  raw: unknown,
  path: KeyPath,
  { catalogue, report }: Context,
  others: readonly string[],
): ScheduleSection {
  const map = readMap(raw, path, report)
  const names = catalogue.resources.map(({ name }) => name as string)
  for (const key of Object.keys(map)) {
    const former = key.replace(/Sweep$/, '')
    if (names.includes(key) || others.includes(key)) continue
    if (names.includes(former)) report.problem([...path, key], `is called \`${former}: { full: … }\` now`)
    else report.unknownKey([...path, key], [...names, ...others])
  }
  const sections = catalogue.resources.map(({ name, schedule }) => {
    const written = map[name]
    const fields = schedule.incremental === undefined ? full : { ...incremental, ...full }
    const modes = Object.keys(fields)
    if (typeof written === 'string') {
      report.wrongKind([...path, name], written, `expected a map: \`{ ${modes[0]}: "${written}" }\``)
      return {}
    }
    const section = readSection(fields, written, [...path, name], report)
    return Object.fromEntries(Object.entries(section).map(([mode, value]) => [`${name}.${mode}`, value]))
  })
  return Object.assign({}, ...sections) as ScheduleSection
}

function catalogueSchedule(catalogue: Catalogue): ScheduleSection {
  const schedules = catalogue.resources.map(({ name }) => {
    const { incremental, full } = scheduleOf(catalogue, name, {})
    return { [`${name}.full`]: full, ...(incremental !== null && { [`${name}.incremental`]: incremental }) }
  })
  return Object.assign({}, ...schedules) as ScheduleSection
}

export function scheduleOf(
  catalogue: Catalogue,
  name: ResourceName,
  section: ScheduleSection,
): Pick<ResourceSettings, 'incremental' | 'full'> {
  const { incremental, full } = defaultsOf(catalogue, name)
  return {
    incremental: incremental === undefined ? null : (section[`${name}.incremental`] ?? defaultCron(incremental)),
    full: section[`${name}.full`] ?? defaultCron(full),
  }
}

function defaultsOf({ resources }: Catalogue, name: ResourceName): ResourceDefaults['schedule'] & { full: string } {
  const { incremental, full } = resources.find((resource) => resource.name === name)?.schedule ?? {}
  if (full === undefined) throw new Error(`The catalogue has no full sync schedule of ${name}`)
  return incremental === undefined ? { full } : { incremental, full }
}
