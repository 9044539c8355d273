import { catalogue } from '../../src/commands/support/configuration.ts'
import { createLog } from '../../src/commands/support/logger.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import type { Io } from '../../src/model/process/io.ts'
import { fastClock, type Pace } from '../support/fast-clock.ts'

interface Task {
  readonly config: string
  readonly pace: Pace
}

/** The daemon as `run` starts it, on a fast clock. */
const { config, pace } = JSON.parse(process.argv[2] ?? '') as Task
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
const { settings } = loadSettings({ file: config, env: process.env, catalogue, purpose: 'request' })
await using daemon = await startDaemon(settings, io, await createLog(io, settings.logLevel))
process.send?.(daemon.address)
await Promise.race([new Promise((resolve) => stopping.signal.addEventListener('abort', resolve)), daemon.broken])
