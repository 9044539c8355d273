import { expect, it } from 'vitest'
import { Jobs } from '../../src/daemon/jobs.ts'
import { SyncError } from '../../src/model/errors.ts'
import { minuteMs } from '../../src/model/time.ts'
import type { Job } from '../../src/schedule/scheduler.ts'

it('is not silent while it evaluates many slow tenants, but where that never ends', async () => {
  let now = 0
  const clock = { now: () => now, monotonic: () => now }
  const arranged: Job[] = []
  const scheduler = { arrange: (jobs: readonly Job[]) => void arranged.push(...jobs) }
  const silent: number[] = []
  const session = {
    settings: { evaluate: { expression: '* * * * *', intervalMs: minuteMs } },
    tenants: [],
    async evaluate(_: AbortSignal, evaluated: (tenant: string, validUntil: null) => void) {
      for (let tenant = 0; tenant < 4; tenant++) {
        now += 2 * minuteMs
        silent.push(jobs.silentMs)
        evaluated(`t${tenant}`, null)
      }
      if (silent.length > 4) throw new SyncError('store', 'The disk is full')
    },
    stores: { facts: () => null },
  }
  const parts = { session, io: { clock }, watch: { verify: async () => {}, jobFailed: () => {} } }
  const jobs = new Jobs(scheduler as never, parts as never)
  jobs.arrange()
  for (const expected of [0, 8 * minuteMs]) {
    await arranged[0]?.run(new AbortController().signal)
    expect([Math.max(...silent), jobs.silentMs]).toEqual([2 * minuteMs, expected])
  }
})
