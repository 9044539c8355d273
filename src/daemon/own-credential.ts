import type { TenantSettings } from '../config/settings.ts'
import { toIso } from '../model/dates.ts'
import { dayMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import type { RecordReader } from '../store/records/query.ts'

/** Days before the expiry at which a warning is logged once. */
const warnAt = [0, 1, 3, 7, 14, 30] as const

/** Watches the expiry of the daemon's own secrets; after it the API refuses the daemon. */
export interface OwnCredentials {
  look(tenant: Pick<TenantSettings, 'name' | 'ownClientId'>, reader: RecordReader, now: number): Promise<void>
}

export function ownCredentials(log: Log): OwnCredentials {
  const logged = new Map<string, string>()
  return {
    async look({ name: tenant, ownClientId }, reader, now) {
      if (ownClientId === null) return
      const at = await ownSecretExpiry(reader, ownClientId)
      if (at === null) return
      const step = warnAt.find((days) => at - now <= days * dayMs)
      if (step === undefined) {
        logged.delete(tenant)
        return
      }
      const known = `${at} ${step}`
      if (logged.get(tenant) === known) return
      logged.set(tenant, known)
      const fields = { tenant, expires: toIso(at), daysLeft: Math.trunc((at - now) / dayMs) }
      if (step === 0)
        log.warn(fields, 'The secret of the client that this tenant uses has expired: no data can be read')
      else log.warn(fields, 'The secret of the client that this tenant uses expires soon: renew it')
    },
  }
}

/** In milliseconds since the epoch; null without such a client. */
async function ownSecretExpiry(reader: RecordReader, ownClientId: string): Promise<number | null> {
  const [client] = await reader.byKeys('api-clients', [ownClientId])
  return client?.times['secretExpirationDateMs'] ?? null
}
