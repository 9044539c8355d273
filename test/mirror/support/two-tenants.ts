import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import { now } from '../../checks/support/evaluator.ts'
import { client, document, role, settings, user } from '../../checks/support/facts.ts'
import { type TestMirror, testMirror } from '../../support/mirror.ts'

export interface TwoTenants extends TestMirror {
  readonly acme: number
  readonly globex: number
}

/** A mirror of two tenants of which every resource was read in full once; names of the second hold the word `globex`. */
export async function twoTenants(): Promise<TwoTenants> {
  const test = testMirror()
  const open = async (name: string) =>
    (await test.mirror.openTenant(name, `https://${name}.example.com`, now)).tenant.id
  const acme = await open('acme')
  const globex = await open('globex')
  const records = (
    name: string,
  ): Readonly<Partial<Record<ResourceName, readonly Readonly<Record<string, unknown>>[]>>> => ({
    'api-clients': [client({ name })],
    'authentication-settings': [settings({ tenantName: name })],
    documents: [document({ filename: `${name}.pdf` })],
    permissions: [{ permissionId: 1, name, module: null, function: null, code: 'Api_Users_Read' }],
    roles: [role({ name })],
    users: [1, 2, 3].map((userId) => user({ userId, lastName: name, email: `${userId}@${name}.example` })),
  })
  for (const [tenantId, name] of [[acme, 'acme'] as const, [globex, 'globex'] as const]) {
    for (const resource of resourceNames) {
      const items = (records(name)[resource] ?? []).map((record) => ({ ok: true as const, record, extra: null }))
      const whole = { startedAt: now, durationMs: 1000, serverTime: now }
      await test.mirror.commitPage({
        tenantId,
        resource,
        items,
        at: now,
        requestId: 'req-1',
        whole,
        recordCreations: true,
      })
    }
  }
  return { ...test, acme, globex }
}
