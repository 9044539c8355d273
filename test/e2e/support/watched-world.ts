import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/simulator/index.ts'
import { scheduleLine } from '../../support/schedule.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { daemon, type Place, placeFor, type RunningDaemon, until } from './program.ts'
import { hurried, type Prometheus, type ScrapeOptions, startPrometheus } from './prometheus.ts'

export const day = 86_400_000
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']

/** How often the daemon of a world does everything. */
export const hurry = '*/2 * * * * *'

export interface World {
  readonly simulator: Simulator
  readonly place: Place & { readonly store: string }
  readonly prometheus: Prometheus
  readonly daemon: RunningDaemon
}

export interface WorldOptions {
  readonly alertmanager?: string
  readonly scrape?: ScrapeOptions
  /** Changes the tenant before anybody looks at it. */
  readonly before?: (simulator: Simulator) => void
  /** More of the configuration: of all, and of the one tenant. */
  readonly more?: (simulator: Simulator) => string
  readonly ofTenant?: (simulator: Simulator) => string
  /** Files beside the configuration. */
  readonly files?: Readonly<Record<string, string>>
}

const isoDay = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)

/** An entry of `waivers` that ends after so many days. */
export function waiverOf(id: string, days: number, check = 'user-role-active', entity = '*'): string {
  return `  - { id: ${id}, check: ${check}, entity: "${entity}", tenant: acme, reason: accepted for this test alone, owner: tests, expires: ${isoDay(days)} }\n`
}

/** The line by which a tenant knows which API client is the daemon's own. */
export function ownClient({ credentials }: Simulator): string {
  return `    ownClientId: ${credentials.reader.clientId}\n`
}

/** A tenant where nothing is wrong, watched by a daemon in a hurry, scraped by the real Prometheus each second. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const sizes = { users: 12, documents: 6 }
  const simulator = await startSimulator({ controlPort: null, problems: false, sizes })
  onTestFinished(() => simulator.close())
  const { primary, tokens } = simulator
  for (const { userId } of [...primary.state.users()])
    primary.updateUser(userId, { state: 'Active', mfaStatus: true, mfaAction: false })
  primary.setSettings({ ssoEnabled: true, ssoEnforced: true, mfaEnabled: true })
  for (const { clientId } of [...primary.state.apiClients()])
    primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 200 * day })
  options.before?.(simulator)
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const rhythm = `${scheduleLine(hurry)}
freshness: { ${resources.map((name) => `${name}: 12s`).join(', ')} }
`
  const place = placeFor(simulator, folder, rhythm + (options.more?.(simulator) ?? ''))
  const env = { ...place.env, GLOBEX_TOKEN: tokens.secondReader }
  const there = { ...place, env }
  if (options.ofTenant !== undefined) {
    const config = join(folder, 'tenantwatch.yaml')
    const own = options.ofTenant(simulator)
    writeFileSync(config, readFileSync(config, 'utf8').replace('    auth:', `${own}    auth:`))
  }
  const rules = hurried(readFileSync('config/prometheus/rules.yml', 'utf8'))
  const prometheus = await startPrometheus(folder, rules, options)
  const one = await daemon(there)
  prometheus.scrape(one.url)
  await until(
    async () => (await prometheus.query('tenantwatch_check_status{tenant="acme",status="unknown"} == 0')).length > 15,
  )
  return { simulator, place: there, prometheus, daemon: one }
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
