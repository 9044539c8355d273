import type { Settings } from '../config/settings.ts'
import { type Description, describeFailingTarget } from '../model/describe.ts'
import type { Mirror } from '../store/port.ts'
import { isChosen } from './read-news.ts'

/** By name, the configured targets that messages do not reach, as of the last attempts of any replica. */
export async function failingTargets(
  mirror: Pick<Mirror, 'failingNotifications'>,
  settings: Pick<Settings, 'notifications' | 'tenants'>,
): Promise<ReadonlyMap<string, Description>> {
  const { notifications } = settings
  if (notifications.length === 0) return new Map()
  // Of a tenant that was removed, nothing is sent any more.
  const known = new Set(settings.tenants.map(({ name }) => name))
  const failing = (await mirror.failingNotifications()).filter(({ tenant }) => known.has(tenant))
  const found = notifications.flatMap(({ name, tenants }) => {
    const own = failing.filter((one) => one.target === name && isChosen(tenants, one.tenant))
    return own.length === 0 ? [] : [[name, describeFailingTarget(name, own)] as const]
  })
  return new Map(found)
}
