import type { Settings } from '../config/settings.ts'
import type { Mirror } from '../mirror/port.ts'
import { dayMs } from '../model/durations.ts'

/**
 * Erases what the retention is over for. Where the clock is ahead of those of all tenants, the one of them that is least
 * behind counts: a clock that is years ahead for a while would erase everything.
 *
 * @param now milliseconds since the epoch.
 */
export async function purge(mirror: Mirror, settings: Settings, now: number): Promise<void> {
  const configured = new Set(settings.tenants.map(({ name }) => name))
  const tenants = (await mirror.tenants()).filter(({ name }) => configured.has(name))
  const states = (await Promise.all(tenants.map(({ id }) => mirror.trust(id)))).flat().map(({ state }) => state)
  const skews = states.flatMap(({ serverTime, serverTimeAt }) =>
    serverTime === null || serverTimeAt === null ? [] : [serverTime - serverTimeAt],
  )
  const aheadMs = skews.length === 0 ? 0 : Math.max(0, -Math.max(...skews))
  await mirror.purge(now - aheadMs - settings.historyRetentionDays * dayMs)
}
