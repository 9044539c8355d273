import { type ApiSection, readApi } from './api.ts'
import { type ChecksSection, readChecks } from './checks.ts'
import { type ResourcesSection, readResources } from './resources.ts'
import { type FreshnessSection, readFreshness } from './schedule/freshness.ts'
import type { ScheduleSection } from './schedule/schedule.ts'
import type { Context } from './yaml/context.ts'
import type { KeyPath } from './yaml/key-path.ts'

export interface Overridable {
  readonly path: KeyPath
  readonly api: ApiSection
  readonly schedule: ScheduleSection
  readonly freshness: FreshnessSection
  readonly checks: ChecksSection
  readonly resources: ResourcesSection
}

/** Reads these sections of a tenant, or the top-level ones at the empty path. The caller reads the schedule, which differs. */
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
