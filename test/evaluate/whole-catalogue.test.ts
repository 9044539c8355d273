import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { dayMs, minuteMs } from '../../src/model/time.ts'
import { client, document, iso, now, role, settings, user } from '../checks/support/facts.ts'
import { type Rows, sqliteWorld } from './support/sqlite-world.ts'

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
  const world = await sqliteWorld(changes)
  await world.sync(rows)
  await world.evaluate()
  const found = (await Array.fromAsync(world.mirror.findings({}))).flat()
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(found.length)
  expect(new Set(found.map(({ check }) => check)).size).toBeGreaterThan(10)
  expect(found.flatMap(unknownFacts)).toEqual([])
  const last = await world.mirror.lastEventId(world.tenantId)
  world.pass(minuteMs)
  await world.evaluate()
  expect(await world.mirror.lastEventId(world.tenantId)).toBe(last)
})
