import { expect, it } from 'vitest'
import { createJobs } from '../../src/daemon/jobs.ts'
import type { Session } from '../../src/daemon/session.ts'
import { storeWatch } from '../../src/daemon/store-watch.ts'
import type { TenantParts } from '../../src/daemon/tenant-parts.ts'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import type { Io } from '../../src/model/process/io.ts'
import type { Job, Scheduler } from '../../src/schedule/scheduler.ts'
import type { Mirror } from '../../src/store/port.ts'
import { fakeClock } from '../support/fake-clock.ts'

/** Jobs over tenants with one resource each; `run` is what a sync of a tenant does. */
function world(count: number, run: (tenant: string) => Promise<{ readonly retryAt: number | null }>) {
  const clock = { ...fakeClock(1_000_000), sleep: () => new Promise<void>(() => {}) }
  const broken = new Set<string>()
  const forward = new Set<string>()
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
      // Until the end of a day, as a Retry-After may say.
      client: { waitMs: () => 86_400_000 },
      scope: { run: (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => work(signal) },
    } as unknown as TenantParts
  })
  const session = {
    tenants,
    settings: { timezone: 'UTC', evaluate: schedule },
    settledTenant: async (name: string) => tenants.find(({ settings }) => settings.name === name),
    syncAndEvaluate: async ({ settings }: TenantParts) => ({
      ...(await run(settings.name)),
      pages: 1,
      validUntil: null,
    }),
    evaluate: async () => new Map(),
    stores: { facts: () => null },
    eraseOutdated: async () => true,
  } as unknown as Session
  const jobs = new Map<string, Job>()
  const running = new Map<string, Promise<void>>()
  const scheduler = {
    add: (job: Job) => void jobs.set(job.name, job),
    remove: (name: string) => jobs.delete(name),
    async runNow(name: string) {
      if (running.has(name)) return 'skipped'
      running.set(name, Promise.resolve(jobs.get(name)?.run(new AbortController().signal)))
      await running.get(name)
      running.delete(name)
      return 'ran'
    },
    ended: async (name: string) => running.get(name),
  } as unknown as Scheduler
  const mirror = { isVerified: () => false } as unknown as Mirror
  const watch = storeWatch(mirror, clock, silentLog())
  const io = { clock } as unknown as Io
  const created = createJobs(scheduler, { session, io, heart: { beatAt: 0 }, watch })
  created.arrange()
  return { tenants, broken, forward, jobs: created, scheduler }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('catches up the other tenants while sixteen wait for the end of a Retry-After', async () => {
  const ran: string[] = []
  const { tenants, jobs } = world(20, async (tenant) => {
    ran.push(tenant)
    return { retryAt: Number(tenant.slice(1)) < 16 ? 1 : null }
  })
  await (await jobs.runDue(tenants)).ended
  expect(ran).toHaveLength(20)
})

it('catches up at most sixteen tenants at once, whatever how many calls there are', async () => {
  const ending: (() => void)[] = []
  const { tenants, jobs } = world(40, () => {
    const { promise, resolve } = Promise.withResolvers<{ readonly retryAt: null }>()
    ending.push(() => resolve({ retryAt: null }))
    return promise
  })
  const calls = await Promise.all([jobs.runDue(tenants.slice(0, 20)), jobs.runDue(tenants.slice(20))])
  await settle()
  expect(ending).toHaveLength(16)
  for (let ended = 0; ended < 40; ended++) {
    ending[ended]?.()
    await settle()
    expect(ending).toHaveLength(Math.min(40, ended + 17))
  }
  await Promise.all(calls.map(({ ended }) => ended))
})

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

/** A sync that ends when the test says so, and the runs that its schedule began. */
async function ticked(retryAt: number | null) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const created = world(1, async () => {
    if (retryAt === null) await promise
    return { retryAt }
  })
  void created.scheduler.runNow('t0 roles full')
  await settle()
  let isCaughtUp = false
  const caughtUp = created.jobs.runDue(created.tenants).then(async ({ ended }) => {
    await ended
    isCaughtUp = true
  })
  return { caughtUp, end: resolve, isCaughtUp: () => isCaughtUp }
}

it('has not caught up before a due run ends that its schedule began', async () => {
  const { caughtUp, end, isCaughtUp } = await ticked(null)
  await settle()
  expect(isCaughtUp()).toBe(false)
  end()
  await caughtUp
})

it('has caught up while a run that its schedule began waits for the end of a Retry-After', async () => {
  const { caughtUp, isCaughtUp } = await ticked(1)
  await settle()
  expect(isCaughtUp()).toBe(true)
  await caughtUp
})

it('begins the runs that are brought forward after an evaluation', async () => {
  const ran: string[] = []
  const { forward, scheduler } = world(3, async (tenant) => {
    ran.push(tenant)
    return { retryAt: null }
  })
  await scheduler.runNow('evaluate')
  expect(ran).toEqual([])
  forward.add('t1')
  await scheduler.runNow('evaluate')
  await scheduler.runNow('evaluate')
  expect(ran).toEqual(['t1'])
})
