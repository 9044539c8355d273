import { expect, it } from 'vitest'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import { resources } from '../../src/resources/index.ts'
import type { Simulator } from '../../src/simulator/index.ts'
import { synced } from './support/cli.ts'

type Fields = Readonly<Record<string, unknown>>

const idField = (resource: ResourceName) => resources.find(({ name }) => name === resource)?.idField ?? ''

/** The simulator's truth in id order, as an export must show it. */
function truth(simulator: Simulator, resource: ResourceName, tenant: 'primary' | 'second' = 'primary'): Fields[] {
  const records = [...simulator[tenant].resources[resource].all()] as Fields[]
  const id = idField(resource)
  return records.toSorted((a, b) => {
    const [left, right] = [a[id], b[id]]
    return typeof left === 'number' ? left - Number(right) : String(left) < String(right) ? -1 : 1
  })
}

const parsed = (lines: readonly string[]): Fields[] => lines.map((line) => JSON.parse(line))

/** Role ids are read user by user and some are not known yet; the rest must be equal. */
function comparable(resource: ResourceName, records: readonly Fields[]): readonly Fields[] {
  return resource === 'users' ? records.map(({ roleId: _, ...rest }) => rest) : records
}

it('exports every resource as NDJSON and JSON exactly as the tenant has it, in id order', async () => {
  const { run, simulator } = await synced()
  for (const resource of resourceNames) {
    const wanted = comparable(resource, truth(simulator, resource))
    const lines = (await run('export', resource)).stdout.trimEnd().split('\n')
    expect(comparable(resource, parsed(lines)), resource).toEqual(wanted)
    const { code, stdout } = await run('export', resource, '--format', 'json')
    expect(code).toBe(0)
    expect(comparable(resource, JSON.parse(stdout)), resource).toEqual(wanted)
  }
})

it('needs --tenant when there are several, and keeps them apart', async () => {
  const { run, simulator } = await synced({
    tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' }],
  })
  const { code, stdout, stderr } = await run('export', 'users')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe('tenantwatch: Several tenants are configured: add --tenant with one of acme, globex\n')
  const lines = (await run('export', 'users', '--tenant', 'globex')).stdout.trimEnd().split('\n')
  const wanted = comparable('users', truth(simulator, 'users', 'second'))
  expect(
    comparable(
      'users',
      lines.map((line) => JSON.parse(line)),
    ),
  ).toEqual(wanted)
  expect(await run('export', 'users', '--tenant', 'other')).toMatchObject({ code: 2 })
})

it('reports that a resource that is switched off is no longer read', async () => {
  const { run, simulator, write, store } = await synced()
  const tenant = `{ name: acme, baseUrl: "${simulator.baseUrl}", auth: { token: { env: ACME_TOKEN } } }`
  write('off.yaml', `tenants: [${tenant}]\nresources: { roles: { enabled: false } }\nstore: { path: ${store} }\n`)
  const { stdout, stderr } = await run('export', 'roles', '--config', 'off.yaml')
  expect(stdout.trimEnd().split('\n')).toHaveLength([...simulator.primary.resources['roles'].all()].length)
  expect(stderr).toMatch(/^acme roles: switched off and no longer read; last completely read 20/)
})
