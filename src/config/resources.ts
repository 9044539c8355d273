import { dayMs } from '../model/durations.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { type ScheduleSection, scheduleOf } from './schedule.ts'
import type { Catalogue, ResourceSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { duration, flag, formatDuration } from './yaml/leaves.ts'
import type { KeyPath, Report } from './yaml/report.ts'
import { readMap, readSection } from './yaml/section.ts'

const fields = { enabled: flag().optional() }

export type ResourcesSection = Readonly<Partial<Record<ResourceName, { readonly enabled?: boolean }>>>

export function readResources(raw: unknown, path: KeyPath, { report }: Context): ResourcesSection {
  const map = readMap(raw, path, report)
  const known: readonly string[] = resourceNames
  for (const key of Object.keys(map)) if (!known.includes(key)) report.unknownKey([...path, key], known)
  return Object.fromEntries(
    resourceNames.map((name) => [name, readSection(fields, map[name], [...path, name], report)]),
  )
}

export interface ResourceSections {
  readonly resources: readonly ResourcesSection[]
  readonly schedule: ScheduleSection
  readonly freshness: FreshnessSection
}

/** Later members of `resources` win. */
export function resolveResources(catalogue: Catalogue, sections: ResourceSections): TenantResources {
  function settingsOf(name: ResourceName): ResourceSettings {
    const { resources, schedule, freshness } = sections
    const enabled = resources.reduce((value, section) => section[name]?.enabled ?? value, true)
    return { enabled, ...scheduleOf(catalogue, name, schedule), freshnessMs: freshness[name] ?? null }
  }
  return Object.fromEntries(resourceNames.map((name) => [name, settingsOf(name)])) as TenantResources
}

export type TenantResources = Readonly<Record<ResourceName, ResourceSettings>>

/** Explicit limits in milliseconds. */
export type FreshnessSection = Readonly<Partial<Record<ResourceName, number>>>

const limit = duration(3650 * dayMs, '3650d').optional()
const freshnessFields = Object.fromEntries(resourceNames.map((name) => [name, limit]))

export function readFreshness(raw: unknown, path: KeyPath, { report }: Context): FreshnessSection {
  return readSection(freshnessFields, raw, path, report)
}

/** Refuses a limit shorter than the interval of full syncs: data would become stale between two of them. */
export function checkFreshness(
  resources: Readonly<Record<ResourceName, ResourceSettings>>,
  path: (name: ResourceName) => KeyPath,
  report: Report,
): void {
  for (const name of resourceNames) {
    const { freshnessMs, full } = resources[name]
    if (freshnessMs === null || freshnessMs >= full.intervalMs) continue
    const key = `schedule.${name}.full`
    const rule = `expected at least ${formatDuration(full.intervalMs)}, the interval of \`${key}\` ("${full.expression}")`
    report.problem([...path(name), name], `is ${formatDuration(freshnessMs)}; ${rule}`)
  }
}
