import { expiryChecks, inventories } from '../../../src/metrics/inventory.ts'
import { createMetrics, type MetricsOptions } from '../../../src/metrics/metrics.ts'
import {
  type ResourceSeries,
  readSecrets,
  type TenantFacts,
  type TenantSeriesConfig,
} from '../../../src/metrics/tenant-facts.ts'
import type { NamedFinding } from '../../../src/model/finding.ts'
import type { TenantPosture } from '../../../src/model/posture.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import { at, check, mode, posture, resource, unread } from './posture.ts'
import { countsOf, type Records, readerOf, record } from './records.ts'

const withIncremental = ['incremental', 'full'] as const
const isFeed = (name: ResourceName) => resources.some((one) => one.name === name && one.kind === 'feed')
const shapeOf = (series: ResourceSeries) => ({
  ...series,
  modes: isFeed(series.resource) ? withIncremental : (['full'] as const),
})

function tenantSeriesConfig(name: string): TenantSeriesConfig {
  const checks = ['api-client-secret-not-expired', 'user-mfa-enrolled']
  const thresholds = [{ check: 'api-client-secret-not-expiring', severity: 'high', seconds: 604_800 }] as const
  return { name, resources: inventories.map(shapeOf), checks, thresholds, evaluationLimitSeconds: 900 }
}

const incrementalMode = mode({ mode: 'incremental', freshnessLimitMs: 900_000 })

const never = { status: 'unknown', reason: 'never', evaluatedAt: null, since: null, entities: null } as const

/** The posture of a tenant that was never asked for anything. */
export const untouched: TenantPosture = posture({
  resources: resourceNames.map((name) => {
    const view = unread(name)
    const untried = { up: false, lastAttemptAt: null, lastSuccessAt: null }
    return isFeed(name) ? { ...view, modes: [{ ...incrementalMode, ...untried }, ...view.modes] } : view
  }),
  checks: [
    check('api-client-secret-not-expired', { ...never, severities: ['critical'] }),
    check('user-mfa-enrolled', { ...never, severities: ['low', 'high'] }),
  ],
})

/** The posture of a tenant in mid-life. */
export const lively: TenantPosture = posture({
  clockSkewMs: -1500,
  holds: [{ id: 'H-1', resource: 'documents', reason: 'shrink_held', count: 9, message: 'Held', raisedAt: at }],
  resources: resourceNames.map((name) =>
    isFeed(name) ? resource(name, { modes: [incrementalMode, mode()] }) : resource(name),
  ),
  checks: [
    check('api-client-secret-not-expired', { severities: ['critical'] }),
    check('user-mfa-enrolled', {
      status: 'fail',
      severities: ['low', 'high'],
      open: { high: 117 },
      waived: { high: 4 },
    }),
  ],
  waivers: [
    {
      id: 'break-glass',
      check: 'user-mfa-enrolled',
      entity: '1041',
      owner: 'security',
      reason: 'A sealed account for emergencies',
      expiresAt: Date.parse('2026-06-30T23:59:59.999Z'),
      state: 'active',
      covered: 4,
      lapsed: 2,
    },
  ],
})

const user = (id: number, state: string, mfaStatus: boolean, mfaAction: boolean) =>
  record(String(id), {
    userId: id,
    state,
    mfaStatus,
    mfaAction,
    email: `canary-${id}@example.com`,
    firstName: 'Canary',
  })

export const records: Records = {
  users: [
    user(1, 'Active', true, false),
    user(2, 'Active', true, false),
    user(3, 'Invited', false, true),
    user(4, 'Frozen', false, false),
  ],
  documents: [
    record('d1', { filename: 'canary.pdf', uploadStatus: 'Completed' }),
    record('d2', { filename: 'canary.pdf', uploadStatus: null }),
    record('d3', { filename: 'canary.pdf', uploadStatus: 'Shredded' }),
  ],
  roles: [record('1', { state: 'Active' }), record('2', { state: 'Inactive' })],
  'authentication-settings': [record('0', { mfaEnabled: true, ssoEnabled: true, ssoEnforced: false })],
  'api-clients': [
    record(
      'aa-1',
      { clientId: 'AA-1', name: 'HR "sync"', roleName: 'Reader' },
      { secretExpirationDateMs: at + 86_400_000 },
    ),
    record('bb-2', { clientId: 'BB-2', name: null, roleName: null }, { secretExpirationDateMs: at - 500 }),
  ],
}

/** When every waiver of a tenant ends. */
export const waivedUntil = at + 90 * 86_400_000

/** A finding as metrics show it. */
export const named: NamedFinding = {
  check: 'user-mfa-enrolled',
  severity: 'high',
  entityType: 'user',
  entityId: '1041',
  fingerprint: '0123456789abcdef0123456789abcdef',
  owner: 'security',
}

/** @param waived entities whose finding a waiver accepts, by check. */
export async function reading(
  view: TenantPosture,
  rows: Records = {},
  waived: Readonly<Record<string, readonly string[]>> = {},
  findings: TenantFacts['findings'] = [named],
): Promise<TenantFacts> {
  const config = tenantSeriesConfig(view.tenant)
  const untilOf = (check: string) => new Map((waived[check] ?? []).map((id) => [id, waivedUntil]))
  return {
    config,
    posture: view,
    findings,
    waived: { expired: untilOf(expiryChecks.expired), expiring: untilOf(expiryChecks.expiring) },
    secrets: await readSecrets(readerOf(rows), 'Aa-1'),
    counts: view === untouched ? new Map() : countsOf(rows),
    owners: [{ name: 'security', client: 'hr*' }],
    settings: {
      users: { knownStates: ['Active', 'Invited'] },
      roles: { knownStates: ['Active', 'Inactive'] },
      documents: { overlapMs: 0, knownStatuses: ['Completed', 'Processing'] },
    },
  }
}

const storeSize = () => ({ bytes: 8192, walBytes: 4096 })

interface Options extends Partial<Omit<MetricsOptions, 'read'>> {
  readonly read?: () => Promise<readonly ReturnType<typeof reading>[]>
}

export function metricsOf(
  readings: readonly ReturnType<typeof reading>[],
  { read = async () => readings, ...over }: Options = {},
) {
  const options = { version: '1.2.3', startedAt: at, storeSize }
  const metrics = createMetrics({ ...options, read: async () => Promise.all(await read()), ...over })
  metrics.count('tenantwatch_notifications_total', { target: 'security', outcome: 'success' }, 0)
  const configured = metrics.configure(['acme', 'globex'].map(tenantSeriesConfig))
  return {
    ...metrics,
    async render() {
      await configured
      return (await Array.fromAsync(await metrics.render())).join('')
    },
  }
}
