import { expect, it } from 'vitest'
import { Jobs } from '../../src/daemon/jobs.ts'
import type { Session } from '../../src/daemon/session.ts'
import { storeWatch } from '../../src/daemon/store-watch.ts'
import type { TenantParts } from '../../src/daemon/tenant-parts.ts'
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
      scope: { run: (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => work(signal) },
    } as unknown as TenantParts
  })
  const session = {
    tenants,
    settings: { timezone: 'UTC', evaluate: schedule },
    settledTenant: async (name: string) => tenants.find(({ settings }) => settings.name === name),
    async syncAndEvaluate({ settings: { name } }: TenantParts) {
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
  const mirror = { isVerified: () => false } as unknown as Mirror
  const watch = storeWatch(mirror, clock, silentLog())
  const io = { clock } as unknown as Io
  const created = new Jobs(scheduler, { session, io, log: silentLog(), heart: { beatAt: 0 }, watch })
  created.arrange()
  return { tenants, broken, forward, waiting, planned, jobs: created, scheduler }
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

it('has not caught up before a due run ends that its schedule began', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { jobs, scheduler, tenants } = world(1, async () => {
    await promise
    return { retryAt: null }
  })
  void scheduler.runNow('t0 roles full')
  await settle()
  let isCaughtUp = false
  const caughtUp = jobs.runDue(tenants).then(async ({ ended }) => {
    await ended
    isCaughtUp = true
  })
  await settle()
  expect(isCaughtUp).toBe(false)
  resolve()
  await caughtUp
})

/** Runs that bring these pages; each but the last of them is ended by a wait, which is then waited for. */
async function followed(...pages: readonly number[]): Promise<number> {
  let runs = 0
  const { scheduler, planned, waiting } = world(1, async () => {
    const brought = pages[runs++] ?? 0
    return { pages: brought, retryAt: runs < pages.length ? 1 : null }
  })
  await scheduler.runNow('t0 roles full')
  for (let next = planned.shift(); next !== undefined; next = planned.shift()) {
    expect([next.name, next.delayMs]).toEqual(['t0 roles full', minuteMs])
    waiting.clear()
    await next.run()
  }
  return runs
}

it('continues after every wait as long as each run reads pages', async () => {
  expect(await followed(3, 1, 2, 5)).toBe(4)
})

it('continues after a first run without pages, and leaves a second such one to the next tick', async () => {
  expect([await followed(0, 4), await followed(0, 0, 7), await followed(0)]).toEqual([2, 2, 1])
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
