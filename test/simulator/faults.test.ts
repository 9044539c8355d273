import { expect, it } from 'vitest'
import type { FaultEffect, TokenName } from '../../src/simulator/index.ts'
import { call, start, startOnSockets } from './support.ts'

it('meets only the requests of a prefix or a tenant, and counts them', async () => {
  const simulator = await start()
  const fail: FaultEffect = { kind: 'status', status: 500 }
  const byPrefix = simulator.faults.add({ path: '/api/public/perm*', effect: fail })
  const byTenant = simulator.faults.add({ tenant: 'second', effect: fail })
  const status = async (path: string, token: TokenName) => (await call(simulator, path, { token })).status
  expect([await status('/permissions', 'reader'), await status('/roles', 'reader')]).toEqual([500, 200])
  expect(await status('/roles', 'secondReader')).toBe(500)
  const hits = ({ id }: { readonly id: string }) => simulator.faults.list().find((fault) => fault.id === id)?.hits
  expect([hits(byPrefix), hits(byTenant)]).toEqual([1, 1])
})

it.each<FaultEffect>([
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'unanswered' },
  { kind: 'reset', when: 'mid' },
  { kind: 'raw', bytes: 'HELLO 200 what\r\n\r\n' },
])('breaks the answer so that the caller notices (%j)', async (effect) => {
  const simulator = await startOnSockets({ controlPort: null })
  simulator.faults.add({ effect })
  const headers = { authorization: `Bearer ${simulator.tokens.reader}` }
  const asked = fetch(`${simulator.baseUrl}/api/public/roles`, { headers })
  await expect(asked.then((response) => response.text())).rejects.toThrow()
  expect((await simulator.requests.waitFor(({ done }) => done)).status).toBeNull()
})
