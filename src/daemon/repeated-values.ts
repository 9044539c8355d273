import type { EvaluatedTenant } from '../evaluate/data-quality.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { contractEventMeanings } from '../model/contract-events.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import type { Mirror } from '../store/port.ts'

/**
 * Counts a contract event after each full sync of a resource in which two records have the same unique value, as the
 * evaluation after it found. Logs the first one.
 */
export function repeatedValues({ metrics, log }: { readonly metrics: Metrics; readonly log: Log }) {
  const logged = new Set<string>()
  return async (store: Mirror, { id, settings }: EvaluatedTenant, resource: ResourceName): Promise<void> => {
    const definition = resources.find(({ name }) => name === resource)
    if (definition === undefined || !('unique' in definition)) return
    const { event, field } = definition.unique
    const known = `${settings.name} ${resource}`
    if ((await store.recordCounts(id)).get(resource)?.repeats !== true) {
      logged.delete(known)
      return
    }
    metrics.contractEvent(settings.name, resource, event)
    if (logged.has(known)) return
    logged.add(known)
    const hint = `${contractEventMeanings[event]}. See docs/alerts.md#tenantwatchcontractchanged`
    const found = { tenant: settings.name, resource, fields: { [event]: [field] }, hint }
    log.warn(found, "The tenant's API deviates from its specification")
  }
}
