import type { AlertGroup } from '../alert.ts'
import { postureAlerts } from './posture.ts'
import { secretAlerts } from './secrets.ts'
import { syncAlerts } from './sync.ts'
import { waiverAlerts } from './waivers.ts'
import { watchAlerts, watchdogAlerts } from './watch.ts'

/** Every group of alerts, the ones to be read first in front. */
export const alertGroups: readonly AlertGroup[] = [
  watchAlerts,
  syncAlerts,
  secretAlerts,
  postureAlerts,
  waiverAlerts,
  watchdogAlerts,
]
