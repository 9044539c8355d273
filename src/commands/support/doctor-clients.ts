import { createTenantClient } from '../../api/client.ts'
import type { TenantClient } from '../../api/reader.ts'
import type { TenantSettings } from '../../config/settings.ts'
import { silentLog } from '../../model/log.ts'
import type { Io } from '../../model/process/io.ts'
import { version } from '../../model/process/version.ts'
import type { Mirror, TenantRow } from '../../store/port.ts'
import { enabledNames } from '../../sync/due.ts'

/** Requests per second while an engine runs: both count towards the tenant's rate limit. */
const rateBesideEngine = 1
const retries = 1

/**
 * Clients for probes, which honor the rate-limit waits in the mirror.
 *
 * @param besideEngine true if an engine runs, or may run.
 */
export async function probingClients(
  mirror: Mirror | undefined,
  { clock, random, env }: Io,
  besideEngine: boolean,
): Promise<(tenant: TenantSettings) => TenantClient> {
  const waits = await waitsIn(mirror)
  return (tenant) => {
    const { api } = tenant
    const requestsPerSecond =
      api.requestsPerSecond === 0 ? rateBesideEngine : Math.min(api.requestsPerSecond, rateBesideEngine)
    const { blockedUntil = 0, blockedForMs = null } = waits.get(tenant.name) ?? {}
    return createTenantClient({
      ...tenant,
      api: besideEngine ? { ...api, requestsPerSecond } : api,
      clock,
      random,
      env: (name) => env[name],
      version,
      log: silentLog(),
      resources: enabledNames(tenant),
      blockedUntil,
      blockedForMs,
      retries,
    })
  }
}

async function waitsIn(
  mirror: Mirror | undefined,
): Promise<ReadonlyMap<string, Pick<TenantRow, 'blockedForMs' | 'blockedUntil'>>> {
  try {
    return new Map((await mirror?.tenants())?.map(({ name, ...wait }) => [name, wait]))
  } catch {
    return new Map()
  }
}
