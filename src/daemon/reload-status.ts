import type { Metrics } from '../metrics/metrics.ts'
import type { Clock } from '../model/clock.ts'

export interface ReloadStatus {
  note(part: 'configuration' | 'web', successful: boolean): void
}

/** Separate parts: a repaired web configuration does not clear a problem of the other one. */
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
