import type { TenantPosture } from '../model/posture.ts'
import type { AddSeries, FamilyDefinition } from './family.ts'
import type { TenantSeriesConfig } from './series-config.ts'

/** A gauge from the posture, which already considers ages. The caller adds the label `tenant`. */
export interface PostureGauge extends FamilyDefinition {
  each(posture: TenantPosture, add: AddSeries, config: TenantSeriesConfig): void
}

export const fromMirror = 'Read from the mirror at scrape, not from the tenant.'

/** Milliseconds since the epoch to seconds; null (never) to 0. */
export function timestampSeconds(ms: number | null): number {
  return ms === null ? 0 : ms / 1000
}
