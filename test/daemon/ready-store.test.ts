import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import { reloadable } from '../commands/support/reloading.ts'

it('is not ready while the database is away, whatever was tried before', async () => {
  const { session, origin } = await reloadable()
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`)
    return [answer.status, await answer.text()]
  }
  expect(await ready()).toEqual([200, 'Every resource was tried\n'])
  const ping = vi.spyOn(session.mirror, 'ping').mockRejectedValue(new SyncError('store', 'away'))
  expect(await ready()).toEqual([503, 'The database cannot be used; see the log\n'])
  ping.mockRestore()
  expect(await ready()).toEqual([200, 'Every resource was tried\n'])
})
