import type { AlertGroup } from '../alert.ts'
import { postureAlerts } from './posture.ts'
import { secretAlerts } from './secrets.ts'
import { syncAlerts } from './sync.ts'
import { waiverAlerts } from './waivers.ts'
import { watchAlerts, watchdogAlerts } from './watch.ts'

/** Every alert group, the most important first. */
export const alertGroups: readonly AlertGroup[] = [
  watchAlerts,
  syncAlerts,
  secretAlerts,
  postureAlerts,
  waiverAlerts,
  watchdogAlerts,
]
