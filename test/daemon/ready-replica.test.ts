import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import type { ReplicaFacts } from '../../src/store/tenant-stores.ts'
import { reloadable } from '../commands/support/reloading.ts'

const facts = { isConfirmed: true } as ReplicaFacts

it('is not ready as a replica before it has verified the database, whatever was tried by others', async () => {
  const { session, origin } = await reloadable()
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`)
    return [answer.status, await answer.text()]
  }
  const tried = [200, 'Every resource was tried\n']
  expect(await ready()).toEqual(tried)
  const isVerified = vi.spyOn(session.mirror, 'isVerified').mockReturnValue(false)
  const factsNow = vi.spyOn(session.stores, 'facts').mockReturnValue(facts)
  expect(await ready()).toEqual([503, 'This replica has not verified the database yet; a failure is in the log\n'])
  const ping = vi.spyOn(session.mirror, 'ping').mockRejectedValue(new SyncError('store', 'away'))
  expect(await ready()).toEqual([503, 'The database cannot be used; see the log\n'])
  ping.mockRestore()
  isVerified.mockReturnValue(true)
  expect(await ready()).toEqual(tried)
  // Nothing else waits for a file that is verified beside its first reads.
  isVerified.mockReturnValue(false)
  factsNow.mockReturnValue(null)
  expect(await ready()).toEqual(tried)
})
