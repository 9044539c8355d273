import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { FreshnessSection } from './schedule/freshness.ts'
import { type ScheduleSection, scheduleOf } from './schedule/schedule.ts'
import type { Catalogue, ResourceSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import type { KeyPath } from './yaml/key-path.ts'
import { flag } from './yaml/leaves.ts'
import { readMap, readSection } from './yaml/section.ts'

const fields = { enabled: flag().optional() }

export type ResourcesSection = Readonly<Partial<Record<ResourceName, { readonly enabled?: boolean }>>>

/** Reads `resources`, of the whole configuration or of one tenant. */
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

/** The settings of every resource of one tenant; later members of `resources` win. */
export function resolveResources(catalogue: Catalogue, sections: ResourceSections): TenantResources {
  function settingsOf(name: ResourceName): ResourceSettings {
    const { resources, schedule, freshness } = sections
    const enabled = resources.reduce((value, section) => section[name]?.enabled ?? value, true)
    return { enabled, ...scheduleOf(catalogue, name, schedule), freshnessMs: freshness[name] ?? null }
  }
  return Object.fromEntries(resourceNames.map((name) => [name, settingsOf(name)])) as TenantResources
}

export type TenantResources = Readonly<Record<ResourceName, ResourceSettings>>
