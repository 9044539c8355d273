import type { Metrics } from '../metrics/metrics.ts'
import type { Clock } from '../model/clock.ts'

/** Whether all that is configured is in force, as the reload metrics tell it. */
export interface ReloadStatus {
  note(part: 'configuration' | 'web', successful: boolean): void
}

/** The web configuration is read by itself when it changes: a repaired one does not clear a problem of the other. */
export function reloadStatus(metrics: Metrics, clock: Clock): ReloadStatus {
  const failed = new Set<string>()
  return {
    note(part, successful) {
      if (successful) failed.delete(part)
      else failed.add(part)
      metrics.configReloaded(failed.size === 0, clock.now())
    },
  }
}
