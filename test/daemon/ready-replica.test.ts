import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import type { ReplicaFacts } from '../../src/store/tenant-stores.ts'
import { reloadable } from '../commands/support/reloading.ts'

const facts = { isConfirmed: true } as ReplicaFacts

it('is not ready as a replica while the database cannot be used', async () => {
  const { session, origin } = await reloadable()
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`)
    return [answer.status, await answer.text()]
  }
  vi.spyOn(session.stores, 'facts').mockReturnValue(facts)
  const tried = [200, 'Every resource was tried\n']
  expect(await ready()).toEqual(tried)
  const ping = vi.spyOn(session.mirror, 'ping').mockRejectedValue(new SyncError('store', 'away'))
  expect(await ready()).toEqual([503, 'The database cannot be used; see the log\n'])
  ping.mockRestore()
  expect(await ready()).toEqual(tried)
})
