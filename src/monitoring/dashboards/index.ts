import type { DashboardId } from '../dashboard-ids.ts'
import type { Pack } from '../monitoring.ts'
import { fleet } from './fleet.ts'
import { operations } from './operations.ts'
import type { DashboardSpec } from './panel.ts'
import { posture } from './posture.ts'

/** Every dashboard, made for a configuration. */
export const dashboards: Readonly<Record<DashboardId, (pack: Pack) => DashboardSpec>> = { fleet, operations, posture }
