import { expect, it } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'

async function rotating() {
  const world = await openWorld({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const client = primary.addApiClient({ secretExpirationDate: '2026-06-01T00:00:00Z' })
  await world.run('sync')
  const daemon = await world.daemon()
  const full = async () => {
    await daemon.session.tenants[0]?.engine.run('api-clients', 'full', new AbortController().signal)
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()
    return Number(/^tenantwatch_secret_rotations_total\{.*\} (\d+)$/m.exec(metrics)?.[1])
  }
  /** The history of the client's expiry. */
  const moves = async () => {
    const changes = await daemon.session.mirror.records(1).history('api-clients', client.clientId.toLowerCase())
    return changes.map(({ kind, before, after }) => (kind === 'changed' ? `${before} ${after}` : kind))
  }
  return {
    primary,
    client,
    full,
    moves,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

it('keeps each move of an expiry in the history, and counts none for the same instant in another notation', async () => {
  await using world = await rotating()
  const dates = ['2026-06-01T02:00:00+02:00', '2026-05-01T00:00:00Z', '2026-06-02T00:00:00Z']
  const counts: number[] = []
  for (const date of dates) {
    world.primary.updateApiClient(world.client.clientId, { raw: { secretExpirationDate: date } })
    counts.push(await world.full())
  }
  expect(counts).toEqual([0, 0, 1])
  expect(await world.moves()).toEqual([
    '2026-06-01T00:00:00.000Z 2026-05-01T00:00:00Z',
    '2026-05-01T00:00:00Z 2026-06-02T00:00:00Z',
  ])
})

it('counts a secret as rotated when its expiry moved later, and only then', async () => {
  await using world = await openWorld({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const { clientId } = primary.addApiClient({ secretExpirationDate: '2026-06-01T00:00:00Z' })
  await world.run('sync')
  await using daemon = await world.daemon()
  const rotations: (string | undefined)[] = []
  for (const date of [
    '2026-06-01T00:00:00.000Z',
    '2026-07-01T00:00:00Z',
    '2026-05-01T00:00:00Z',
    '2026-05-02T00:00:00Z',
  ]) {
    primary.updateApiClient(clientId, { raw: { secretExpirationDate: date } })
    await daemon.session.tenants[0]?.engine.run('api-clients', 'full', new AbortController().signal)
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()
    rotations.push(/^tenantwatch_secret_rotations_total\{.*\} (\d+)$/m.exec(metrics)?.[1])
  }
  expect(rotations).toEqual(['0', '1', '1', '2'])
})
