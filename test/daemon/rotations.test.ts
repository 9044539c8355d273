import { expect, it } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'

it('counts a secret as rotated when its expiry moved later, and only then, and keeps each move in the history', async () => {
  await using world = await openWorld({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const { clientId } = primary.addApiClient({ secretExpirationDate: '2026-06-01T00:00:00Z' })
  await world.run('sync')
  await using daemon = await world.daemon()
  const rotations: (string | undefined)[] = []
  const dates = ['2026-06-01T02:00:00+02:00', '2026-07-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z']
  for (const date of dates) {
    primary.updateApiClient(clientId, { raw: { secretExpirationDate: date } })
    await daemon.session.tenants[0]?.engine.run('api-clients', 'full', new AbortController().signal)
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()
    rotations.push(/^tenantwatch_secret_rotations_total\{.*\} (\d+)$/m.exec(metrics)?.[1])
  }
  expect(rotations).toEqual(['0', '1', '1', '2'])
  const changes = await daemon.session.mirror.records(1).history('api-clients', clientId.toLowerCase())
  expect(changes.map(({ after }) => after)).toEqual(dates.slice(1))
})
