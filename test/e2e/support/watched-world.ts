import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../../src/simulator/index.ts'
import { scheduleLine } from '../../support/schedule.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { daemon, type Place, placeFor, type RunningDaemon, simulate, until } from './program.ts'
import { hurried, type Prometheus, type PrometheusOptions, startPrometheus } from './prometheus.ts'

export const day = 86_400_000
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']

/** How often the daemon of a world does everything. */
const hurry = '*/2 * * * * *'

export interface World {
  readonly simulator: Simulator
  readonly place: Place & { readonly store: string }
  readonly prometheus: Prometheus
  readonly daemon: RunningDaemon
}

const isoDay = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)

/** An entry of `waivers` that ends after so many days. */
export function waiverOf(id: string, days: number): string {
  return `  - { id: ${id}, check: user-role-active, entity: "*", tenant: acme, reason: accepted for this test alone, owner: tests, expires: ${isoDay(days)} }\n`
}

/** The line by which a tenant knows which API client is the daemon's own. */
export function ownClient({ credentials }: Simulator): string {
  return `    ownClientId: ${credentials.reader.clientId}\n`
}

/** A tenant where nothing is wrong, watched by a daemon in a hurry, scraped by the real Prometheus each second. */
export async function world(options: PrometheusOptions = {}): Promise<World> {
  const sizes = { users: 12, documents: 6 }
  const simulator = await simulate({ problems: false, sizes })
  const { primary } = simulator
  for (const { userId } of [...primary.state.users()])
    primary.updateUser(userId, { state: 'Active', mfaStatus: true, mfaAction: false })
  primary.setSettings({ ssoEnabled: true, ssoEnforced: true, mfaEnabled: true })
  for (const { clientId } of [...primary.state.apiClients()])
    primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 200 * day })
  const folder = temporaryFolder()
  const rhythm = `${scheduleLine(hurry)}
freshness: { ${resources.map((name) => `${name}: 12s`).join(', ')} }
`
  const place = placeFor(simulator, folder, rhythm)
  const rules = hurried(readFileSync('config/prometheus/rules.yml', 'utf8'))
  const prometheus = await startPrometheus(folder, rules, options)
  const one = await daemon(place)
  prometheus.scrape(one.url)
  await until(
    async () => (await prometheus.query('tenantwatch_check_status{tenant="acme",status="unknown"} == 0')).length > 15,
  )
  return { simulator, place, prometheus, daemon: one }
}

/** Writes the configuration again and has the daemon take it up. */
export function reconfigure({ place, daemon: one }: World, change: (text: string) => string): void {
  const file = join(place.folder, 'tenantwatch.yaml')
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after === before) throw new Error('The configuration was to be changed and is the same')
  writeFileSync(file, after)
  one.child.kill('SIGHUP')
}
