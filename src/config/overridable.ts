import { type ApiSection, mergeApi, readApi } from './api.ts'
import { type ChecksSection, mergeChecks, readChecks } from './checks.ts'
import {
  checkFreshness,
  type FreshnessSection,
  type ResourcesSection,
  readFreshness,
  readResources,
  resolveResources,
} from './resources.ts'
import type { ScheduleSection } from './schedule.ts'
import type { TenantSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import type { KeyPath } from './yaml/report.ts'

export interface Overridable {
  readonly path: KeyPath
  readonly api: ApiSection
  readonly schedule: ScheduleSection
  readonly freshness: FreshnessSection
  readonly checks: ChecksSection
  readonly resources: ResourcesSection
}

/** Reads settings that tenants can override; an empty path reads the general ones. The caller reads the schedule. */
export function readOverridable(
  raw: Readonly<Record<string, unknown>>,
  path: KeyPath,
  schedule: ScheduleSection,
  context: Context,
): Overridable {
  return {
    path,
    api: readApi(raw['api'], [...path, 'api'], context),
    schedule,
    freshness: readFreshness(raw['freshness'], [...path, 'freshness'], context),
    checks: readChecks(raw['checks'], [...path, 'checks'], context),
    resources: readResources(raw['resources'], [...path, 'resources'], context),
  }
}

export function effective(
  general: Overridable,
  own: Overridable | null,
  context: Context,
): Pick<TenantSettings, 'api' | 'resources' | 'checks'> {
  const { catalogue, report } = context
  const resources = resolveResources(catalogue, {
    resources: own === null ? [general.resources] : [general.resources, own.resources],
    schedule: { ...general.schedule, ...own?.schedule },
    freshness: { ...general.freshness, ...own?.freshness },
  })
  const sourceOf = (name: keyof typeof resources) => (own?.freshness[name] === undefined ? general : own)
  checkFreshness(resources, (name) => [...sourceOf(name).path, 'freshness'], report)
  const ownChecks = own === null ? null : placedChecks(own)
  return {
    api: mergeApi(general.api, own?.api ?? {}),
    resources,
    checks: mergeChecks(placedChecks(general), ownChecks, context),
  }
}

function placedChecks({ checks, path }: Overridable) {
  return { section: checks, path: [...path, 'checks'] }
}
