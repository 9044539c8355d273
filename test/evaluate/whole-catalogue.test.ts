import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { readPosture } from '../../src/evaluate/read-posture.ts'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import { silentLog } from '../../src/model/log.ts'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import type { Mirror } from '../../src/store/port.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { testMirror } from '../support/mirror.ts'
import { fullSyncEnd } from './support/sqlite-world.ts'
import { tenantSettings } from './support/tenant-settings.ts'

type Rows = Readonly<Partial<Record<ResourceName, readonly Record<string, unknown>[]>>>

const options = { requirements: [{ id: 'soc2', pattern: 'soc2*', maxAgeDays: 365 }] }
const changes = {
  checks: {
    'document-required-present': { options },
    'user-least-privilege': { options: { allowed: ['Api_Users_Read'] } },
  },
}
const guid = (last: number) => `00000000-0000-0000-0000-00000000000${last}`
const old = iso(now - 400 * dayMs)

/** Something for every check to find, and something beside it that is in order. */
const rows: Rows = {
  'api-clients': [
    client({ clientId: guid(1), secretExpirationDate: old }),
    client({ clientId: guid(2), secretExpirationDate: iso(now + 5 * dayMs), roleName: 'Admin' }),
    client({ clientId: guid(3), secretExpirationDate: iso(now + 900 * dayMs), roleName: 'Gone' }),
    client({ clientId: guid(4) }),
  ],
  'authentication-settings': [settings({ ssoEnforced: false })],
  documents: [
    document({ fileId: guid(1), filename: 'soc2.pdf', createdAt: old }),
    document({ fileId: guid(2), filename: 'soc2.pdf', uploadStatus: 'Processing', createdAt: iso(now - 2 * dayMs) }),
    document({ fileId: guid(3), filename: null, uploadStatus: null, createdAt: iso(now - 2 * dayMs) }),
    document({ fileId: guid(4), filename: 'other', uploadStatus: 'Failed', createdAt: iso(now - 2 * dayMs) }),
    document({ fileId: guid(5), filename: 'fine.pdf' }),
  ],
  permissions: [],
  roles: [role(), role({ roleId: 2, name: 'Admin', state: 'Inactive' }, ['Api_Users_Create'])],
  users: [
    user({ userId: 1, mfaStatus: false }),
    user({ userId: 2, mfaStatus: false, state: 'Invited', createdAt: iso(now - 20 * dayMs) }),
    user({ userId: 3, roleName: 'Admin' }),
    user({ userId: 4, roleName: 'Gone' }),
    user({ userId: 10 }),
  ],
}

async function fill(mirror: Mirror, tenantId: number, content: Rows, at: number): Promise<void> {
  for (const resource of resourceNames) {
    const items = (content[resource] ?? []).map((record) => ({ ok: true as const, record, extra: null }))
    const whole = { startedAt: at, durationMs: 1000, serverTime: at }
    await mirror.commitPage({ tenantId, resource, items, at, requestId: 'req-1', whole, recordCreations: true })
    await mirror.closeRun(fullSyncEnd(tenantId, resource, at))
  }
}

/** Material facts that the evidence of a finding does not have: a waiver would never notice that they changed. */
function unknownFacts({ check, evidence }: { readonly check: string; readonly evidence: object }): readonly string[] {
  const material = checks.find(({ id }) => id === check)?.material ?? []
  return material.filter((name) => !hasField(evidence, name.split('.'))).map((name) => `${check} ${name}`)
}

function hasField(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || value === null) return true
  if (Array.isArray(value)) return value.every((one) => hasField(one, [name, ...rest]))
  return typeof value === 'object' && name in value && hasField(value[name as keyof typeof value], rest)
}

it('finds something by every check that has something to find, each finding once and with its facts', async () => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://api.example.com', now)
  await fill(mirror, tenant.id, rows, now)
  const evaluated = { id: tenant.id, settings: tenantSettings(changes) }
  const request = { store: mirror, tenant: evaluated, checks, now, log: silentLog() }
  await evaluateTenant(request)
  const found = (await Array.fromAsync(mirror.findings({}))).flat()
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(found.length)
  expect(new Set(found.map(({ check }) => check)).size).toBeGreaterThan(10)
  expect(found.flatMap(unknownFacts)).toEqual([])
  const again = await evaluateTenant({ ...request, now: now + minuteMs })
  expect(again.every(({ written, resolved }) => written.length + resolved.length === 0)).toBe(true)
})

it('resolves every finding when its cause is removed', async () => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://api.example.com', now)
  const evaluated = { id: tenant.id, settings: tenantSettings(changes) }
  const request = { store: mirror, tenant: evaluated, checks, log: silentLog() }
  await fill(mirror, tenant.id, rows, now)
  await evaluateTenant({ ...request, now })
  const at = now + minuteMs
  const sound: Rows = {
    'api-clients': [client({ clientId: guid(4) })],
    'authentication-settings': [settings()],
    documents: [document({ fileId: guid(1), filename: 'soc2.pdf', createdAt: iso(now) })],
    permissions: ['Api_Users_Read', 'Api_Users_Create'].map((code, permissionId) => ({
      permissionId,
      name: code,
      code,
    })),
    roles: [role(), role({ roleId: 2, name: 'Admin' }, ['Api_Users_Create'])],
    users: [user({ userId: 1 }), user({ userId: 4 })],
  }
  await fill(mirror, tenant.id, sound, at)
  await evaluateTenant({ ...request, now: at })
  const waivers = [
    {
      id: 'w',
      check: 'auth-settings-unchanged',
      entity: 'ssoEnforced',
      tenant: 'acme',
      reason: '',
      owner: '',
      expiresMs: at,
    },
  ]
  const posture = await readPosture({ ...request, waivers, now: at, evaluateIntervalMs: minuteMs })
  const failing = posture.checks.filter(({ status }) => status !== 'pass' && status !== 'not_applicable')
  expect(failing.map(({ check, status, waived }) => [check, status, waived])).toEqual([
    ['auth-settings-unchanged', 'fail', { medium: 1 }],
  ])
  expect(posture.checks.filter(({ status }) => status === 'pass').length).toBeGreaterThan(10)
  expect(posture.checks.find(({ check }) => check === 'user-invitation-accepted')?.status).toBe('not_applicable')
  expect(posture.checks.map(({ open }) => open)).toEqual(checks.map(() => ({})))
  const ends = []
  for await (const batch of mirror.findings({ all: true })) ends.push(...batch)
  const [first, second] = ends.map(({ fingerprint }) => fingerprint)
  const after = async (fingerprint = '') =>
    (await Array.fromAsync(mirror.findings({ all: true, after: fingerprint }))).flat()
  expect(await after(first)).toEqual(ends.slice(1))
  expect((await after(second)).length).toBe(ends.length - 2)
  expect(await after('unknown')).toEqual([])
  expect(new Set(ends.map(({ resolution }) => resolution))).toEqual(new Set([null, 'fixed', 'entity_removed']))
})
