import { catalogue } from '../../src/commands/support/configuration.ts'
import { createLog } from '../../src/commands/support/logger.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import type { Io } from '../../src/model/process/io.ts'
import { fastClock } from '../support/fast-clock.ts'
import type { SoakDaemonTask } from '../support/soak-tasks.ts'

/** The daemon as `run` starts it, on a clock that runs fast. */
const { config, pace } = JSON.parse(process.argv[2] ?? '') as SoakDaemonTask
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  clock: fastClock(pace),
  random: Math.random,
  stop: stopping.signal,
  onReload: () => {},
}
const { settings } = loadSettings({ file: config, env: process.env, catalogue })
await using daemon = await startDaemon(settings, io, await createLog(io, settings.logLevel))
process.send?.(daemon.address)
await Promise.race([new Promise((resolve) => stopping.signal.addEventListener('abort', resolve)), daemon.broken])
