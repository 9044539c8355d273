import { readFileSync } from 'node:fs'
import { createTenantClient } from '../../../src/api/client.ts'
import { silentLog } from '../../../src/model/log.ts'
import { systemClock } from '../../../src/model/process/system-clock.ts'
import { resources } from '../../../src/resources/index.ts'
import { openMirror } from '../../../src/store/db/sqlite/sqlite-mirror.ts'
import { openTenantEngine } from '../../../src/sync/tenant-engine.ts'
import { engineSettings } from '../../support/engine-settings.ts'

/** One run of one resource in its own process; prints its outcome and its peak memory on stdout. */
export interface MemoryReport {
  readonly outcome: string
  readonly reason: string | null
  /** Greatest resident set in MiB, before the run and after it. */
  readonly beforeMiB: number
  readonly peakMiB: number
  readonly seconds: number
}

/** Of this program alone; the value of `getrusage` begins with the peak of the parent process. */
const peak = () => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)
const [baseUrl = '', path = '', on = 'users'] = process.argv.slice(2)
const oauth2 = { tokenUrl: `${baseUrl}/token`, clientId: 'x', clientSecret: { env: 'TOKEN' }, scope: null }
const settings = engineSettings(baseUrl, {
  userDetails: { perRun: 0 },
  api: { timeoutMs: 60_000 },
  ...(on === 'token' && { auth: { token: { oauth2 } } }),
})
const clock = systemClock()
const { auth, api, name } = settings
const client = createTenantClient({
  name,
  baseUrl,
  auth,
  api,
  clock,
  random: () => 0,
  env: () => 'a-token-of-the-test',
  version: '0.0.0',
})
const mirror = openMirror(path, 'engine')
const observer = {
  runEnded() {},
  cursorReset() {},
  contractEvent() {},
  datesMovedLater() {},
  page() {},
  lookedUp() {},
}
const context = { settings, reader: client.reader, store: mirror, resources, clock, log: silentLog(), observer }
const engine = await openTenantEngine(context)
const beforeMiB = peak()
const started = performance.now()
const { outcome, reason } = await engine.run(on === 'roles' ? on : 'users', 'full', new AbortController().signal)
const seconds = Math.round(performance.now() - started) / 1000
const report: MemoryReport = { outcome, reason, beforeMiB, peakMiB: peak(), seconds }
process.stdout.write(JSON.stringify(report))
await client[Symbol.asyncDispose]()
await mirror[Symbol.asyncDispose]()
