import { dayMs } from '../../model/durations.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { ResourceSettings } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { duration } from '../yaml/leaves.ts'
import type { Report } from '../yaml/report.ts'
import { readSection } from '../yaml/section.ts'
import { formatDuration } from './format-duration.ts'

/** `freshness`: explicit limits in milliseconds. */
export type FreshnessSection = Readonly<Partial<Record<ResourceName, number>>>

const limit = duration(3650 * dayMs, '3650d').optional()
const fields = Object.fromEntries(resourceNames.map((name) => [name, limit]))

/** Reads `freshness`, of the whole configuration or of one tenant. */
export function readFreshness(raw: unknown, path: KeyPath, { report }: Context): FreshnessSection {
  return readSection(fields, raw, path, report)
}

/**
 * Refuses a limit shorter than the interval of full syncs, because data would become stale between two of them.
 *
 * @param path the `freshness` section that contains the limit of a resource.
 */
export function checkFreshness(
  resources: Readonly<Record<ResourceName, ResourceSettings>>,
  path: (name: ResourceName) => KeyPath,
  report: Report,
): void {
  for (const name of resourceNames) {
    const { freshnessMs, full } = resources[name]
    if (freshnessMs === null || freshnessMs >= full.intervalMs) continue
    const key = `schedule.${name}.full`
    const rule = `want at least ${formatDuration(full.intervalMs)}, the interval of \`${key}\` ("${full.expression}")`
    report.problem([...path(name), name], `is ${formatDuration(freshnessMs)}; ${rule}`)
  }
}
