import { expect, it, vi } from 'vitest'
import { eraseOutdated } from '../../src/daemon/retention.ts'
import { dayMs } from '../../src/model/durations.ts'
import type { Mirror } from '../../src/store/port.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const retentionMs = 400 * dayMs

async function erasedBy(...serverTimes: readonly (number | null)[]) {
  const erase = vi.fn(async () => {})
  const mirror = { eraseOutdated: erase } as unknown as Mirror
  const erased = await eraseOutdated(mirror, { serverTimes, retentionMs, now })
  return { erased, calls: erase.mock.calls as unknown[][] }
}

it('erases nothing while no tenant has confirmed the time', async () => {
  expect(await erasedBy()).toEqual({ erased: false, calls: [] })
  expect(await erasedBy(null, null)).toEqual({ erased: false, calls: [] })
})

it('erases by the earliest of the local clock and the server times', async () => {
  const behind = now - 3 * dayMs
  const ahead = now + 900 * dayMs
  const { calls } = await erasedBy(behind, ahead, null)
  expect(calls).toEqual([[{ before: behind - retentionMs, earliest: behind, latest: ahead, at: now }]])
  const one = await erasedBy(ahead)
  expect(one.calls).toEqual([[{ before: now - retentionMs, earliest: now, latest: ahead, at: now }]])
})
