import type { NotificationSettings } from '../config/settings.ts'
import { type Description, describeFailingTarget } from '../model/describe.ts'
import type { Mirror } from '../store/port.ts'
import { isChosen } from './read-news.ts'

/** By name, the configured targets that messages do not reach, as of the last attempts of any replica. */
export async function failingTargets(
  mirror: Pick<Mirror, 'failingNotifications'>,
  targets: readonly NotificationSettings[],
): Promise<ReadonlyMap<string, Description>> {
  if (targets.length === 0) return new Map()
  const failing = await mirror.failingNotifications()
  const found = targets.flatMap(({ name, tenants }) => {
    const own = failing.filter((one) => one.target === name && isChosen(tenants, one.tenant))
    return own.length === 0 ? [] : [[name, describeFailingTarget(name, own)] as const]
  })
  return new Map(found)
}
