import type { Settings } from '../config/settings.ts'
import { dayMs, minuteMs, secondMs } from '../model/durations.ts'
import { FatalError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import type { SyncMode } from '../model/resource-names.ts'
import { createScheduler, type Scheduler } from '../schedule/scheduler.ts'
import { exposesDetails } from '../web/loopback.ts'
import type { Probe } from '../web/web-options.ts'
import { createWebServer, type WebServer } from '../web/web-server.ts'
import type { Io } from './io.ts'
import { openSession, type Session } from './session.ts'
import { type StoreWatch, storeWatch } from './store-watch.ts'
import type { TenantParts } from './tenant-parts.ts'
import { version } from './version.ts'

const graceMs = 3 * secondMs
const webDrainMs = secondMs
const jitterMs = 5 * secondMs

/** The daemon while it lives: engine, schedule and web. */
export interface Daemon extends AsyncDisposable {
  readonly session: Session
  readonly address: { readonly host: string; readonly port: number }
  /** Rejects with a FatalError when the daemon cannot go on; never resolves. */
  readonly broken: Promise<never>
}

/**
 * Starts engine, schedule and web. Everything is shown from the mirror before the first sync; what is due runs at once.
 *
 * @throws FatalError when the lock, the database or the address cannot be had; nothing keeps running then.
 */
export async function startDaemon(settings: Settings, io: Io, log: Log): Promise<Daemon> {
  if (settings.server.webConfig !== null) {
    throw new FatalError('server.webConfig is not supported by this version; serve through a proxy that guards it')
  }
  const session = await openSession({ settings, io, log })
  const { clock, random } = io
  const scheduler = createScheduler({ clock, random, log, timezone: settings.timezone })
  const heart = { beatAt: clock.monotonic() }
  const watch = storeWatch(session.mirror, clock, log)
  const web = createWeb({ settings, session, io, log, heart, watch })
  try {
    const address = await web.start()
    log.info({ host: address.host, port: address.port, tenants: session.tenants.length }, 'Listening')
    addJobs(scheduler, { settings, session, io, heart, watch })
    scheduler.start()
    await runDue(scheduler, session)
    return {
      session,
      address,
      broken: watch.broken,
      async [Symbol.asyncDispose]() {
        await scheduler.dispose(graceMs)
        await web.dispose(webDrainMs)
        await session[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await scheduler.dispose(0)
    await web.dispose(0)
    await session[Symbol.asyncDispose]()
    throw error
  }
}

const jobName = (tenant: string, resource: string, mode: SyncMode) => `${tenant} ${resource} ${mode}`

interface JobParts {
  readonly settings: Settings
  readonly session: Session
  readonly io: Io
  readonly heart: { beatAt: number }
  readonly watch: StoreWatch
}

function addJobs(scheduler: Scheduler, { settings, session, io, heart, watch }: JobParts): void {
  for (const tenant of session.tenants) {
    for (const resource of tenant.engine.resources) {
      const { poll, sweep } = tenant.settings.resources[resource]
      for (const [mode, schedule] of [['poll', poll] as const, ['sweep', sweep] as const]) {
        if (schedule === null) continue
        scheduler.add({
          name: jobName(tenant.settings.name, resource, mode),
          expression: schedule.expression,
          jitterMs: Math.min(jitterMs, schedule.intervalMs / 4),
          run: watch.over((signal) => runToEnd(session, tenant, { resource, mode }, io, signal)),
        })
      }
    }
  }
  let purgedAt = Number.NEGATIVE_INFINITY
  scheduler.add({
    name: 'evaluate',
    expression: settings.evaluate.expression,
    run: watch.over(async () => {
      await watch.verify()
      await session.evaluate()
      heart.beatAt = io.clock.monotonic()
      if (io.clock.monotonic() - purgedAt < dayMs) return
      purgedAt = io.clock.monotonic()
      await session.mirror.purge(io.clock.now() - settings.historyRetentionDays * dayMs)
    }),
  })
}

type Work = { readonly resource: Parameters<Session['run']>[1]; readonly mode: SyncMode }

/** A run that the tenant's rate limit ended goes on when the wait is over. */
async function runToEnd(
  session: Session,
  tenant: TenantParts,
  work: Work,
  { clock }: Io,
  signal: AbortSignal,
): Promise<void> {
  const { retryAt } = await session.run(tenant, work.resource, work.mode, signal)
  if (retryAt === null) return
  await clock.sleep(Math.max(0, retryAt - clock.now()), signal)
  await session.run(tenant, work.resource, work.mode, signal)
}

/** What is due at the start begins at once; judging does not wait for it. */
async function runDue(scheduler: Scheduler, session: Session): Promise<void> {
  void scheduler.runNow('evaluate')
  for (const { engine, settings } of session.tenants) {
    for (const { resource, mode } of await engine.due('run'))
      void scheduler.runNow(jobName(settings.name, resource, mode))
  }
}

interface WebParts {
  readonly settings: Settings
  readonly session: Session
  readonly io: Io
  readonly log: Log
  readonly heart: { readonly beatAt: number }
  readonly watch: StoreWatch
}

function createWeb({ settings, session, io, log, heart, watch }: WebParts): WebServer {
  const { server, evaluate } = settings
  const limitMs = Math.max(15 * minuteMs, 3 * evaluate.intervalMs)
  const { views, metrics } = session
  return createWebServer({
    listen: { host: server.host, port: server.port },
    version,
    exposeDetails: exposesDetails(server.exposeDetails, server.host, false),
    authenticate: null,
    tls: null,
    now: () => io.clock.now(),
    log,
    sources: {
      metrics: (accept) => metrics.render(accept),
      posture: () => views.posture(),
      findings: (query) => views.findingBatches(query),
      secrets: (tenant) => views.secrets(tenant),
      async health(): Promise<Probe> {
        const problem = await watch.problem()
        if (problem !== null) return problem
        const ok = io.clock.monotonic() - heart.beatAt <= limitMs
        return { ok, text: ok ? 'The engine is at work' : 'The engine has not judged for too long' }
      },
      ready: async () => (await watch.problem()) ?? readiness(session),
      reload: async () => ({ ok: false, text: 'This version reads its configuration at start only; restart it' }),
    },
  })
}

async function readiness({ views }: Session): Promise<Probe> {
  const untried = (await views.posture()).flatMap(({ tenant, resources }) =>
    resources
      .filter(({ enabled, modes }) => enabled && modes.every(({ lastAttemptAt }) => lastAttemptAt === null))
      .map(({ resource }) => `${tenant} ${resource}`),
  )
  if (untried.length === 0) return { ok: true, text: 'Every resource was tried' }
  return { ok: false, text: `Not tried yet: ${untried.join(', ')}` }
}
