import type { Settings } from '../config/settings.ts'
import { warnOfSecretFiles } from '../doctor/token.ts'
import { queryBudget } from '../evaluate/query-budget.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { createScheduler } from '../schedule/scheduler.ts'
import { LiveWeb } from '../web/live-web.ts'
import type { Probe } from '../web/web-options.ts'
import { createJobs } from './jobs.ts'
import { createReloader, type Reloading } from './reload.ts'
import { reloadStatus } from './reload-status.ts'
import { createWeb } from './serve.ts'
import { openSession, type Session } from './session.ts'
import { storeWatch } from './store-watch.ts'

const graceMs = 2 * secondMs
const webDrainMs = secondMs

/** The daemon while it lives: engine, schedule and web. */
export interface Daemon extends AsyncDisposable {
  readonly session: Session
  readonly address: { readonly host: string; readonly port: number }
  /** Resolves when what was due at the start has been run. */
  readonly caughtUp: Promise<unknown>
  /** Rejects with a FatalError when the daemon cannot go on; never resolves. */
  readonly broken: Promise<never>
  /** Loads the configuration again; not ok keeps the last good one whole. */
  reload(): Promise<Probe>
}

/**
 * Starts engine, schedule and web. Everything is shown from the mirror before the first sync; what is due runs at once.
 *
 * @param reloading where the configuration comes from again; without it none can be reloaded.
 * @throws FatalError when the lock, the database or the address cannot be had, ConfigError for the web configuration;
 *   nothing keeps running then.
 */
export async function startDaemon(settings: Settings, io: Io, log: Log, reloading?: Reloading): Promise<Daemon> {
  const { clock, random, cwd } = io
  await using parts = new AsyncDisposableStack()
  const session = parts.use(await openSession({ settings, io, log, queryBudget: queryBudget(clock, log) }))
  warnOfSecretFiles(settings.tenants, log)
  const status = reloadStatus(session.metrics, clock)
  const { host, webConfig } = settings.server
  const live = new LiveWeb(webConfig, { cwd, host, log, onReading: (ok) => status.note('web', ok) })
  const heart = { beatAt: clock.monotonic() }
  const watch = storeWatch(session.mirror, clock, log)
  // Ages are counted by the wall clock: when it was set, other data than before may be due.
  const catchUp = () => jobs.runDue(session.tenants)
  const onJump = () =>
    void catchUp().catch((error: unknown) => log.warn({ detail: String(error) }, 'What fell due could not be asked'))
  const scheduler = createScheduler({ clock, random, log, timezone: settings.timezone, onJump })
  const jobs = createJobs(scheduler, { session, io, heart, watch })
  const again = { load: () => session.settings, setLogLevel: () => {}, ...reloading }
  const reloader = createReloader({ reloading: again, session, live, jobs, status, clock, log })
  const web = createWeb({ session, live, io, log, heart, watch, reload: () => reloader.reload() })
  parts.defer(() => web.dispose(webDrainMs))
  // Together: a reload waits for runs that only the end of the schedule aborts.
  parts.defer(async () => void (await Promise.all([reloader.dispose(graceMs), scheduler.dispose(graceMs)])))
  const address = await web.start()
  log.info({ host: address.host, port: address.port, tenants: session.tenants.length }, 'Listening')
  jobs.arrange()
  scheduler.start()
  const { ended: caughtUp } = await catchUp()
  const life = parts.move()
  return {
    session,
    address,
    caughtUp,
    broken: watch.broken,
    reload: () => reloader.reload(),
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  }
}
