import { expect, it, vi } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

it('writes the confirmations of all tenants together, after a round of evaluations', async () => {
  const { session } = await reloadable()
  const stored = vi.spyOn(session.mirror, 'storeConfirmations')
  const confirmed = vi.spyOn(session.mirror, 'confirmResult')
  await session.evaluate()
  await session.evaluate()
  expect(confirmed.mock.invocationCallOrder.at(-1)).toBeLessThan(stored.mock.invocationCallOrder.at(-1) ?? 0)
  expect(stored).toHaveBeenCalledTimes(2)
})
