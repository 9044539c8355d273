import { expect, it, vi } from 'vitest'
import { secondMs } from '../../src/model/durations.ts'
import { openWorld } from '../hostile/support/world.ts'
import { scheduleLine } from '../support/schedule.ts'

it('continues a run at the end of the wait that the tenant asks for, and sends nothing before', async () => {
  // No tick of the schedule comes to its help.
  await using world = await openWorld({ more: scheduleLine('0 0 1 1 *') })
  const effect = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const
  world.simulator.faults.add({ path: '/api/public/roles', times: 1, effect })
  await using _daemon = await world.daemon()
  const requests = () =>
    world.simulator.requests.filter(({ endpoint, done }) => endpoint === '/api/public/roles' && done)
  await vi.waitFor(() => expect(requests().at(-1)).toMatchObject({ status: 200 }), 30_000)
  const [refused, continued] = requests()
  expect(refused).toMatchObject({ status: 429 })
  expect(Number(continued?.time) - Number(refused?.time)).toBeGreaterThanOrEqual(600 * secondMs)
})
