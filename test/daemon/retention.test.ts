import { expect, it, vi } from 'vitest'
import { eraseOutdated } from '../../src/daemon/retention.ts'
import { dayMs } from '../../src/model/durations.ts'
import type { Mirror } from '../../src/store/port.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const retentionMs = 400 * dayMs

async function erasedBy(times: Readonly<Record<number, number | null>>, tenantIds: readonly number[] = [1, 2, 3]) {
  const erase = vi.fn(async () => {})
  const tenants = async () => tenantIds.map((id) => ({ id }))
  const serverTimes = new Map(Object.entries(times).map(([id, time]) => [Number(id), time]))
  const erased = await eraseOutdated({ eraseOutdated: erase, tenants } as unknown as Mirror, {
    serverTimes,
    retentionMs,
    now,
  })
  return { erased, calls: erase.mock.calls as unknown[][] }
}

it('erases nothing while no tenant has confirmed the time', async () => {
  expect(await erasedBy({})).toEqual({ erased: false, calls: [] })
  expect(await erasedBy({ 1: null, 2: null })).toEqual({ erased: false, calls: [] })
})

it('erases by the earlier of the local clock and the server time, and by the newest one for who is silent', async () => {
  const behind = now - 3 * dayMs
  const ahead = now + 900 * dayMs
  const { calls } = await erasedBy({ 1: behind, 2: ahead, 3: null }, [1, 2, 3, 4])
  const before = new Map([1, 2, 3, 4].map((id) => [id, (id === 1 ? behind : now) - retentionMs] as const))
  expect(calls).toEqual([[{ before, now, latest: ahead, at: now }]])
  const one = await erasedBy({ 1: behind, 3: null })
  expect(one.calls).toEqual([
    [{ before: new Map([1, 2, 3].map((id) => [id, behind - retentionMs])), now: behind, latest: now, at: now }],
  ])
})
