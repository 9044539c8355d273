import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { bothSides, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'
import { asked, ending, live } from '../support/sync-queries.ts'

const options = {
  readings: { cursorKind: { users: 'offset', documents: 'offset' }, defaultPageSize: { users: 10, documents: 10 } },
  sizes: { users: 45, documents: 45 },
  problems: false,
  settings: { userDetails: { perRun: 0 } },
} as const

it('does not count what an incremental sync showed beside an interrupted full sync as a page of it', async () => {
  const test = await testEngine(options)
  await test.run('users', 'full')
  test.clock.advance(hourMs)
  const fault = test.sim.faults.add({ path: '/api/public/users', page: 3, effect: { kind: 'status', status: 500 } })
  expect(ending(await test.run('users', 'full'))).toBe('server_error')
  test.sim.faults.remove(fault.id)
  test.sim.primary.addUser({ createdAt: test.clock.now() })
  expect(await test.run('users', 'incremental')).toMatchObject({ counts: { created: 1 } })
  const added = [...test.sim.state().users()].toSorted((a, b) => b.userId - a.userId)[0]
  test.sim.primary.updateUser(added?.userId ?? 0, { mfaStatus: !added?.mfaStatus })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', counts: { quarantined: 0 } })
})

it('counts an API client on two pages of one list', async () => {
  const test = await testEngine({
    ...options,
    readings: { defaultPageSize: { apiClients: 5 } },
    sizes: { apiClients: 20 },
  })
  let last: object | undefined
  test.sim.faults.add({
    path: '/api/public/api-clients',
    effect: {
      kind: 'transform',
      transform: (envelope) => {
        const data = envelope.data as object[]
        const [, ...others] = data
        const shifted = last === undefined ? data : [last, ...others]
        last = data.at(-1)
        return { ...envelope, data: shifted }
      },
    },
  })
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(test.observed.events).toContain('api-clients order_violation')
})

it('takes neither a record twice on one page nor one that an incremental sync showed for a list that moved', async () => {
  const test = await testEngine(options)
  await test.run('api-clients')
  await test.run('users', 'full')
  const { userId } = test.sim.primary.addUser()
  const stop = new AbortController()
  const end = test.sim.onRequest(({ page }) => (page === 3 ? stop.abort() : undefined))
  test.sim.faults.add({
    path: '/api/public/users',
    page: 1,
    effect: ofData((data: object[]) => data.flatMap((one) => [one, one])),
  })
  await test.run('users', 'full', stop.signal)
  end()
  await test.run('users', 'incremental')
  test.sim.requests.clear()
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(asked(test).filter((path) => path === 'users')).toEqual([])
  expect(test.query('select 1 from users where user_id = ?', userId)).toHaveLength(1)
  expect(live(test, 'users')).toBe(46)
})

it('reads at the next full sync a document that a shifting list passed over', async () => {
  const test = await testEngine(options)
  let pages = 0
  const end = test.sim.onRequest(({ path }) => {
    if (!path.endsWith('/documents') || ++pages !== 3) return
    const [first] = [...test.sim.state().documents()].toSorted((a, b) => timeOf(a) - timeOf(b))
    test.clock.advance(1)
    test.sim.primary.updateDocument(first?.fileId ?? '', { updatedAt: test.clock.now() })
  })
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  end()
  test.clock.advance(6 * hourMs)
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  const { mirrored, truth } = await bothSides(test, ['documents'])
  expect(mirrored).toEqual(truth)
})

type Dated = { readonly updatedAt: number | string | null; readonly createdAt: number | string }

function timeOf({ updatedAt, createdAt }: Dated): number {
  return new Date(updatedAt ?? createdAt).getTime()
}
