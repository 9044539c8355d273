import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import type { ReplicaFacts } from '../../src/store/tenant-stores.ts'
import { reloadable } from '../commands/support/reloading.ts'

it.each([
  ['one engine', null],
  ['a replica', { isConfirmed: true } as ReplicaFacts],
])('is not ready as %s while the database is away, whatever was tried before', async (_, facts) => {
  const { session, origin } = await reloadable()
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`)
    return [answer.status, await answer.text()]
  }
  if (facts !== null) vi.spyOn(session.stores, 'facts').mockReturnValue(facts)
  const tried = [200, 'Every resource was tried\n']
  expect(await ready()).toEqual(tried)
  const ping = vi.spyOn(session.mirror, 'ping').mockRejectedValue(new SyncError('store', 'away'))
  expect(await ready()).toEqual([503, 'The database cannot be used; see the log\n'])
  ping.mockRestore()
  expect(await ready()).toEqual(tried)
})
