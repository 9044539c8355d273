import type { NotificationSettings } from '../config/settings.ts'
import type { FailingTarget } from '../model/describe.ts'
import type { Mirror } from '../store/port.ts'

/** The configured targets that messages do not reach, as of the last attempts of any replica. */
export async function failingTargets(
  mirror: Pick<Mirror, 'failingNotifications'>,
  targets: readonly NotificationSettings[],
): Promise<readonly FailingTarget[]> {
  if (targets.length === 0) return []
  const failing = await mirror.failingNotifications()
  return targets.flatMap(({ name: target, tenants: wanted }) => {
    const own = failing.filter((one) => one.target === target && (wanted.length === 0 || wanted.includes(one.tenant)))
    const since = Math.min(...own.map(({ failingSince }) => failingSince))
    const [problem = null] = own.map((one) => one.problem)
    return own.length === 0 ? [] : [{ target, tenants: own.map(({ tenant }) => tenant), since, problem }]
  })
}
