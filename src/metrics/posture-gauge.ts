import type { TenantPosture } from '../model/posture.ts'
import type { FamilyDefinition, Sample } from './family.ts'
import type { TenantSeriesConfig } from './series-config.ts'

/**
 * A gauge that shows a part of the posture, where ages are already applied. `samples` leaves out the label `tenant`,
 * which is put before the others.
 */
export interface PostureGauge extends FamilyDefinition {
  samples(posture: TenantPosture, config: TenantSeriesConfig): readonly Sample[]
}

export const fromMirror = 'Read from the mirror at scrape, not from the tenant.'

/** A time of the model in seconds since the epoch; never is 0. */
export function timestampSeconds(ms: number | null): number {
  return ms === null ? 0 : ms / 1000
}
