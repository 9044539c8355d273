import { SandboxQueries } from '../checks/own/sandbox.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { secondMs } from '../model/time.ts'
import { createScheduler } from '../schedule/scheduler.ts'
import { WebConfig } from '../web/web-config.ts'
import { Jobs } from './jobs.ts'
import { Reloader, type Reloading } from './reload.ts'
import { createWeb } from './serve.ts'
import { openSession } from './session.ts'
import { storeWatch } from './store-watch.ts'

const graceMs = 2 * secondMs
const webDrainMs = secondMs

export type Daemon = Awaited<ReturnType<typeof startDaemon>>

/**
 * Page and metrics show the mirror before the first sync. Without `load` the configuration cannot be reloaded.
 *
 * @throws FatalError when lock, database or address is not available, ConfigError for the web configuration.
 */
export async function startDaemon(settings: Settings, io: Io, log: Log, reloading: Partial<Reloading> = {}) {
  const { clock, random, cwd } = io
  await using parts = new AsyncDisposableStack()
  const ownQueries = parts.use(new SandboxQueries())
  const session = parts.use(await openSession({ settings, io, log, as: 'replica', ownQueries }))
  const { host, webConfig } = settings.server
  const webConfiguration = new WebConfig(webConfig, { cwd, host, log })
  const watch = storeWatch(session.mirror, clock, log)
  const shared = { session, io, log, watch, webConfiguration }
  // Ages depend on the wall clock: after it was set, other runs may be due.
  const onJump = () => void jobs.takeUp(session.tenants)
  const scheduler = createScheduler({ clock, random, log, onJump })
  const jobs: Jobs = new Jobs(scheduler, shared)
  const again = { load: () => session.settings, setLogLevel: () => {}, ...reloading }
  const reloader = new Reloader({ ...shared, jobs, reloading: again })
  const web = createWeb({ ...shared, jobs, reloader })
  parts.defer(() => web.dispose(webDrainMs))
  // In parallel: a reload waits for runs that only the end of the scheduler aborts.
  parts.defer(async () => void (await Promise.all([reloader.dispose(graceMs), scheduler.dispose(graceMs)])))
  const address = await web.start()
  log.info({ ...address, tenants: session.tenants.length }, 'Listening')
  jobs.arrange()
  scheduler.start()
  jobs.follow()
  const { ended: caughtUp } = await jobs.runDue(session.tenants)
  caughtUp.catch(() => {})
  const life = parts.move()
  return {
    session,
    address,
    /** Resolves when the runs due at the start have ended. */
    caughtUp,
    /** Rejects with a FatalError when the daemon cannot continue; never resolves. */
    broken: watch.broken,
    reload: () => reloader.reload(),
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  }
}
