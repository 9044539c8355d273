import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Simulator, TenantSizes } from '../../../src/simulator/index.ts'
import { seriesOf } from '../../metrics/support/parse.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { type Place, type RunningDaemon, simulate, until } from './program.ts'

/** Tenants of their own, each behind an address of its own; by name. */
export type Tenants = ReadonlyMap<string, Simulator>

export async function startTenants(count: number, sizes: Partial<TenantSizes>): Promise<Tenants> {
  const tenants = new Map<string, Simulator>()
  for (let n = 1; n <= count; n++) {
    const simulator = await simulate({ seed: n, sizes })
    tenants.set(`t${n}`, simulator)
  }
  return tenants
}

/** Writes the configuration of replicas; gives where to run one that reaches its database by this port. */
export function replicaPlaces(tenants: Tenants, more: string): (port: number) => Place {
  const folder = temporaryFolder()
  const list = [...tenants].map(
    ([name, { baseUrl }]) =>
      `  - { name: ${name}, baseUrl: "${baseUrl}", auth: { token: { env: TOKEN_${name.toUpperCase()} } } }`,
  )
  writeFileSync(
    join(folder, 'config.yaml'),
    `tenants:
${list.join('\n')}
api: { pageSizeParameter: limit, requestsPerSecond: 0 }
store: { url: { env: DATABASE } }
server: { listen: "127.0.0.1:0" }
${more}
`,
  )
  const tokens = [...tenants].map(([name, { tokens }]) => [`TOKEN_${name.toUpperCase()}`, tokens.reader])
  const env = { ...Object.fromEntries(tokens), TENANTWATCH_CONFIG: 'config.yaml' }
  return (port) => ({ folder, env: { ...env, DATABASE: `postgres://tenantwatch@127.0.0.1:${port}/postgres` } })
}

/** Tenants that a replica exports, which are those that it names as its own; none while it does not answer. */
export async function exported(replica: Pick<RunningDaemon, 'get'>): Promise<readonly string[]> {
  const { status, text } = await replica.get('/metrics').catch(() => ({ status: 0, text: '' }))
  if (status !== 200) return []
  const names = (family: string) =>
    seriesOf(text, family)
      .filter(({ value }) => value === 1)
      .map(({ labels }) => labels['tenant'] ?? '')
  const shown = [...new Set(names('tenantwatch_check_enabled'))].sort()
  const owned = names('tenantwatch_tenant_owned').sort()
  if (shown.join() !== owned.join()) throw new Error(`A replica exports ${shown} and says that it owns ${owned}`)
  return shown
}

/** Resolves when each tenant is exported by exactly one of the replicas, and each replica has its share. */
export function sharedBy(names: Iterable<string>, ...replicas: readonly RunningDaemon[]): Promise<boolean> {
  const wanted = [...names].sort()
  const share = Math.ceil(wanted.length / replicas.length)
  return until(async () => {
    await delay(500)
    const all = await Promise.all(replicas.map(exported))
    return all.every((own) => own.length <= share) && all.flat().sort().join() === wanted.join()
  })
}

export async function seconds(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work
  return (performance.now() - began) / 1000
}
