import { expect, it, vi } from 'vitest'
import { secondMs } from '../../src/model/time.ts'
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

it('counts a secret as rotated when its expiry moved later, and only then, and keeps each move in the history', async () => {
  await using world = await openWorld({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const { clientId } = primary['api-clients'].add({ secretExpirationDate: '2026-06-01T00:00:00Z' })
  await world.run('sync')
  await using daemon = await world.daemon()
  const rotations: (string | undefined)[] = []
  const dates = ['2026-06-01T02:00:00+02:00', '2026-07-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z']
  for (const date of dates) {
    primary['api-clients'].update(clientId, { raw: { secretExpirationDate: date } })
    await daemon.session.tenants[0]?.engine.run('api-clients', 'full', new AbortController().signal)
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()
    rotations.push(/^tenantwatch_secret_rotations_total\{.*\} (\d+)$/m.exec(metrics)?.[1])
  }
  expect(rotations).toEqual(['0', '1', '1', '2'])
  const changes = await daemon.session.mirror.records(1).history('api-clients', clientId.toLowerCase())
  expect(changes.map(({ after }) => after)).toEqual(dates.slice(1))
})
