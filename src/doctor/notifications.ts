import type { Settings } from '../config/settings.ts'
import { silentLog } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { createDelivery } from '../notify/delivery.ts'
import { failingTargets } from '../notify/failing-targets.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, diagnosis, failure, fine, problemOf } from './diagnosis.ts'

/** Sends nothing: whether addresses can be read, and whether the daemon's messages arrive. */
export async function diagnoseNotifications(
  settings: Settings,
  mirror: Mirror | undefined,
  io: Io,
): Promise<readonly Diagnosis[]> {
  const subject = 'notifications'
  await using delivery = createDelivery(io, silentLog())
  // A database that cannot be read has diagnoses of its own.
  const failing = mirror === undefined ? null : await failingTargets(mirror, settings).catch(() => null)
  const diagnose = async (target: Settings['notifications'][number]) => {
    const { name } = target
    const problem = failing?.get(name)
    try {
      await delivery.assertReadable(target, io.stop)
    } catch (error) {
      const { message, hint } = problemOf(error)
      return failure(subject, `${name}: ${message}`, hint)
    }
    if (problem !== undefined) return diagnosis(subject, problem)
    return fine(subject, `${name}: the address can be read, and no message waits for a retry`)
  }
  return await Promise.all(settings.notifications.map(diagnose))
}
