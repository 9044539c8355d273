import { type Daemon, startDaemon } from '../daemon/daemon.ts'
import { EngineRunning } from '../model/errors.ts'
import { exitCodes } from '../model/process/io.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'
import { untilStopped } from './support/io.ts'
import { createLog } from './support/logger.ts'

export const addRun = addCommand({
  name: 'run',
  summary: 'run the daemon: sync on schedule, evaluate, serve metrics and the status page',
  help: `SIGTERM or SIGINT stops it within 5 seconds, SIGHUP reloads the configuration.

Examples:
  tenantwatch run --config /etc/tenantwatch.yaml
  TENANTWATCH_BASE_URL=https://api.example.com TENANTWATCH_TOKEN_FILE=/run/secrets/token tenantwatch run`,
  async run({ io, command }) {
    const { settings, source, ignored } = loadConfiguration(io, command, 'serve')
    let started: Daemon | undefined
    // True if a reload was requested during the start, which takes a minute with many tenants.
    let isDue = false
    io.onReload(() => {
      if (started === undefined) isDue = true
      else void started.reload()
    })
    const log = await createLog(io, settings.logLevel)
    log.info({ source, store: settings.store.path ?? 'store.url' }, 'Starting')
    for (const { name, because } of ignored) log.warn({ ignored: name, because }, 'A setting is ignored')
    const load = () => loadConfiguration(io, command, 'serve').settings
    await using daemon = await startDaemon(settings, io, log, {
      load,
      setLogLevel: log.setLevel,
    }).catch((error: unknown) => {
      throw error instanceof EngineRunning ? error.withAdvice('or give this one another store.path') : error
    })
    started = daemon
    if (isDue) void daemon.reload()
    await Promise.race([untilStopped(io), daemon.broken])
    log.info({ cause: (io.stop.reason as DOMException).message }, 'Stopping')
    return exitCodes.ok
  },
})
