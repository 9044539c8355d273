import { checks } from '../../../src/checks/index.ts'
import type { Waiver } from '../../../src/config/settings.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import { readFindings } from '../../../src/evaluate/findings/read-findings.ts'
import { readPosture } from '../../../src/evaluate/read-posture.ts'
import type { FindingView } from '../../../src/model/finding.ts'
import { silentLog } from '../../../src/model/log.ts'
import type { TenantPosture, WaiverView } from '../../../src/model/posture.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { dayMs, minuteMs } from '../../../src/model/time.ts'
import { now as start } from '../../checks/support/facts.ts'
import { testMirror } from '../../support/mirror.ts'
import { readInFull } from '../../support/read-in-full.ts'
import { type SettingsChanges, tenantSettings } from './tenant-settings.ts'

export type Rows = Partial<Record<ResourceName, readonly Record<string, unknown>[]>>

/** A waiver for the tenant `acme` that ends in a year. */
export function waiver(over: Partial<Waiver> = {}): Waiver {
  return {
    id: 'w1',
    check: 'user-mfa-enrolled',
    entity: '1',
    tenant: 'acme',
    reason: 'Break-glass account, sealed in the safe',
    owner: 'security',
    expiresMs: start + 365 * dayMs,
    ...over,
  }
}

/** The tenant `acme` in a real database: records are put by complete full syncs, evaluated as a daemon does. */
export async function sqliteWorld(changes: SettingsChanges = {}, currentForMs?: number) {
  const { mirror, query } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://api.example.com', start)
  const evaluated = { id: tenant.id, settings: tenantSettings(changes) }
  const time = { now: start }
  const world = {
    mirror,
    query,
    tenantId: tenant.id,
    /** The configuration; may be changed as by a reload. */
    waivers: [] as Waiver[],
    get now() {
      return time.now
    },
    pass(ms: number) {
      time.now += ms
    },
    /** Records a configuration, as a start or a reload does. */
    async configure(next: SettingsChanges = changes): Promise<void> {
      const content = JSON.stringify({ tenants: [tenantSettings(next)] })
      await mirror.noteConfiguration({ at: time.now, digest: content, content })
    },
    /** Complete full syncs that show these records, a minute later. */
    async sync(rows: Rows): Promise<void> {
      time.now += minuteMs
      for (const [resource, records] of Object.entries(rows))
        await readInFull(mirror, tenant.id, resource as ResourceName, records, time.now)
    },
    async evaluate(): Promise<void> {
      const request = { store: mirror, tenant: evaluated, checks, now: time.now, log: silentLog() }
      const more = { waivers: world.waivers, ...(currentForMs && { currentForMs }) }
      await Array.fromAsync(evaluateTenant({ ...request, ...more }))
    },
    posture(): Promise<TenantPosture> {
      const request = { store: mirror, tenant: evaluated, checks, waivers: world.waivers, now: time.now }
      return readPosture({ ...request, evaluateIntervalMs: minuteMs })
    },
    async waiver(id = 'w1'): Promise<WaiverView> {
      const found = (await world.posture()).waivers.find((one) => one.id === id)
      if (found === undefined) throw new Error(`The posture has no waiver ${id}`)
      return found
    },
    async findings(check: string, states: FindingView['state'][] = ['open', 'waived']): Promise<FindingView[]> {
      const request = { store: mirror, waivers: world.waivers, now: time.now, check, states }
      return Array.fromAsync(readFindings(request))
    },
    /** Open and waived counts of a check, as the metrics have them. */
    async counts(check: string) {
      const view = (await world.posture()).checks.find((one) => one.check === check)
      return { status: view?.status, open: view?.open, waived: view?.waived }
    },
  }
  return world
}
