import { expect, it, vi } from 'vitest'
import { secondMs } from '../../src/model/durations.ts'
import { reloadable } from '../commands/support/reloading.ts'

const check = 'api-client-secret-not-expired'
const status = (value: string) => `tenantwatch_check_status{tenant="acme",check="${check}",status="${value}"}`

it('evaluates when a secret expires between two ticks', async () => {
  const world = await reloadable()
  const [tenant] = world.session.tenants
  if (tenant === undefined) throw new Error('No tenant')
  for (const { clientId } of world.simulator.state().apiClients()) {
    world.simulator.primary.updateApiClient(clientId, { secretExpirationDate: '2099-01-01T00:00:00Z' })
  }
  const expires = new Date(Date.now() + 2 * secondMs).toISOString()
  world.simulator.primary.addApiClient({ name: 'Nightly export', secretExpirationDate: expires })
  const { signal } = new AbortController()
  await world.session.syncAndEvaluate(tenant, { resource: 'api-clients', mode: 'full', signal })
  // Its evaluation is the only one of the schedule until the next year.
  world.configure({ tenants: { acme: '', zeta: '' } })
  await world.daemon.reload()
  await vi.waitFor(async () => expect(await world.metric(status('fail'))).toBe(1), 60_000)
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires))
})
