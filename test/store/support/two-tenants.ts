import type { Field, Fields } from '../../../src/model/fields.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Mirror } from '../../../src/store/port.ts'
import { iso, now, role, user } from '../../checks/support/facts.ts'
import { type TestMirror, testMirror } from '../../support/mirror.ts'
import { readInFull } from '../../support/read-in-full.ts'

export type Records = Readonly<Partial<Record<ResourceName, readonly Readonly<Record<string, unknown>>[]>>>

export interface TwoTenants extends TestMirror {
  readonly acme: number
  readonly globex: number
}

/** A mirror of two tenants of which every resource was read in full once; names of the second hold the word `globex`. */
export async function twoTenants(): Promise<TwoTenants> {
  const test = testMirror()
  const acme = await openWith(test.mirror, 'acme', recordsOf('acme'))
  const globex = await openWith(test.mirror, 'globex', recordsOf('globex'))
  return { ...test, acme, globex }
}

export function recordsOf(name: string): Records {
  return {
    ...Object.fromEntries(resources.map((one) => [one.name, [recordOf(one.fields, name)]])),
    roles: [role({ name })],
    users: [1, 2, 3].map((userId) => user({ userId, lastName: name, email: `${userId}@${name}.example` })),
  }
}

const values = { date: iso(now), flag: true, guid: 'c1', integer: 1, list: [] } as const

/** A record whose texts are the name. */
function recordOf(fields: Fields, name: string): Readonly<Record<string, unknown>> {
  const valueIn = ({ kind }: Field) => (kind === 'text' ? name : values[kind])
  return Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, valueIn(one)]))
}

/** Opens a tenant all of whose resources have these records. */
export async function openWith(mirror: Mirror, name: string, records: Records): Promise<number> {
  const { tenant } = await mirror.openTenant(name, `https://${name}.example.com`, now)
  for (const resource of resourceNames) await readInFull(mirror, tenant.id, resource, records[resource] ?? [], now)
  return tenant.id
}
