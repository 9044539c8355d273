import { expect, it } from 'vitest'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { isPagedList } from '../support/descriptors.ts'
import type { TestEngine } from '../support/engine.ts'
import { accept, ending, everyRow, live, synced, theHold } from '../support/sync-queries.ts'

/** Number of answers per list: the simulator returns at most 20 records of a paginated list on a page. */
const pagesOf = (test: TestEngine, resource: ResourceName) =>
  isPagedList(resource) ? Math.ceil(live(test, resource) / 20) : 1

it.each(resourceNames)('one request a page is what %s cost when nothing is new', async (resource) => {
  const test = await synced()
  await test.run(resource)
  test.sim.requests.clear()
  expect(ending(await test.run(resource))).toBe('success')
  expect(test.sim.requests.count()).toBe(pagesOf(test, resource))
})

/** Another tenant's token comes, and is noticed, while the first page of the API clients is held. */
async function changedInMidList(test: TestEngine, then: () => Promise<unknown>): Promise<RunResult> {
  const [client] = [...test.sim.primary['api-clients'].all()]
  test.sim.primary['api-clients'].update(client?.clientId ?? '', { name: 'Renamed' })
  const end = test.sim.onRequest(async ({ cursor }) => {
    if (cursor === null) return
    end()
    test.useToken(test.sim.tokens.secondReader)
    expect(ending(await test.run('roles'))).toBe('tenant_changed')
    await then()
  })
  return test.run('api-clients')
}

it('a tenant that is put on hold while a list is read receives no further page', async () => {
  const test = await synced()
  const before = everyRow(test)
  const clients = () => test.query('select client_id from api_clients order by rid')
  const known = clients()
  expect(ending(await changedInMidList(test, async () => {}))).toBe('tenant_changed')
  expect(clients()).toEqual(known)
  expect({ ...everyRow(test), api_clients: [], changes: [], full_sync_pages: [] }).toEqual({
    ...before,
    api_clients: [],
    changes: [],
    full_sync_pages: [],
  })
})

it('a list begun before a decision on its tenant is read again after it', async () => {
  const test = await synced()
  const known = live(test, 'api-clients')
  const { reason } = await changedInMidList(test, async () => {
    await accept(test, await theHold(test))
    expect(ending(await test.run('roles'))).toBe('success')
  })
  expect(reason).toBe('aborted')
  const accepted = "select * from accepted_removals where resource = 'api-clients'"
  expect(test.query(accepted)).toHaveLength(known)
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(live(test, 'api-clients')).toBe([...test.sim.second['api-clients'].all()].length)
})
