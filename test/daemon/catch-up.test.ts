import { expect, it } from 'vitest'
import { Jobs } from '../../src/daemon/jobs.ts'
import type { Session } from '../../src/daemon/session.ts'
import { storeWatch } from '../../src/daemon/store-watch.ts'
import type { Tenant } from '../../src/daemon/tenant.ts'
import { minuteMs } from '../../src/model/durations.ts'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import type { Io } from '../../src/model/process/io.ts'
import type { Job, Scheduler } from '../../src/schedule/scheduler.ts'
import type { Mirror } from '../../src/store/port.ts'
import { fakeClock } from '../support/fake-clock.ts'

type Ended = { readonly retryAt: number | null; readonly pages?: number }

/** Jobs over tenants with one resource each; `run` is what a sync of a tenant does. */
function world(count: number, run: (tenant: string) => Promise<Ended>) {
  const clock = fakeClock(1_000_000)
  const broken = new Set<string>()
  const forward = new Set<string>()
  /** Tenants to which nothing may be sent. */
  const waiting = new Set<string>()
  const schedule = { expression: '0 * * * *', intervalMs: 3_600_000 }
  const tenants = Array.from({ length: count }, (_, n) => {
    const name = `t${n}`
    return {
      settings: { name, resources: { roles: { incremental: null, full: schedule } } },
      engine: {
        resources: ['roles'],
        async due() {
          if (broken.has(name)) throw new SyncError('store', 'The database is away')
          return [{ resource: 'roles', mode: 'full' }]
        },
        broughtForward: async () => (forward.delete(name) ? [{ resource: 'roles', mode: 'full' }] : []),
      },
      client: { waitMs: () => (waiting.has(name) ? minuteMs : 0) },
      work: (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => work(signal),
    } as unknown as Tenant
  })
  const session = {
    tenants,
    settings: { timezone: 'UTC', evaluate: schedule },
    settledTenant: async (name: string) => tenants.find(({ settings }) => settings.name === name),
    async syncAndEvaluate({ settings: { name } }: Tenant) {
      const ended = await run(name)
      if (ended.retryAt !== null) waiting.add(name)
      return { pages: 1, ...ended, validUntil: null }
    },
    evaluate: async () => new Map(),
    stores: { facts: () => null },
    eraseOutdated: async () => true,
  } as unknown as Session
  const jobs = new Map<string, Job>()
  const running = new Map<string, Promise<void>>()
  const planned: { readonly name: string; readonly delayMs: number; readonly run: () => Promise<void> }[] = []
  const { signal } = new AbortController()
  const scheduler = {
    add: (job: Job) => void jobs.set(job.name, job),
    remove: (name: string) => jobs.delete(name),
    async runNow(name: string) {
      if (running.has(name)) return 'skipped'
      running.set(name, Promise.resolve(jobs.get(name)?.run(signal)))
      await running.get(name)
      running.delete(name)
      return 'ran'
    },
    once: ({ name, run }: Job, delayMs: number) => void planned.push({ name, delayMs, run: () => run(signal) }),
    ended: async (name: string) => running.get(name),
  } as unknown as Scheduler
  const mirror = { verify: async () => {} } as unknown as Mirror
  const watch = storeWatch(mirror, clock, silentLog())
  const io = { clock } as unknown as Io
  const created = new Jobs(scheduler, { session, io, log: silentLog(), heart: { beatAt: 0 }, watch })
  created.arrange()
  return { tenants, broken, forward, waiting, planned, jobs: created, scheduler }
}

it('begins the due runs of other tenants when those of one cannot be read', async () => {
  const ran: string[] = []
  const { tenants, broken, jobs } = world(3, async (tenant) => {
    ran.push(tenant)
    return { retryAt: null }
  })
  broken.add('t1')
  await (await jobs.runDue(tenants)).ended
  expect(ran).toEqual(['t0', 't2'])
})

it('requests nothing at a tick during a wait, and continues at its end', async () => {
  const ran: string[] = []
  const { scheduler, planned, waiting } = world(1, async (tenant) => {
    ran.push(tenant)
    return { retryAt: null }
  })
  waiting.add('t0')
  await scheduler.runNow('t0 roles full')
  expect([ran, planned.map(({ delayMs }) => delayMs)]).toEqual([[], [minuteMs]])
  waiting.clear()
  await planned[0]?.run()
  expect(ran).toEqual(['t0'])
})
