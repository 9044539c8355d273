import type { Settings } from '../config/settings.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import { openMirror } from '../mirror/sqlite-mirror.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { SyncObserver } from '../sync/observer.ts'
import type { RunResult } from '../sync/run-result.ts'
import type { Io } from './io.ts'
import { createJudge, type Judge } from './judge.ts'
import { metricsConfig } from './metrics-config.ts'
import { openTenants, type TenantParts } from './tenant-parts.ts'
import { version } from './version.ts'
import { createViews, type Views } from './views.ts'

/** An engine at work: the one place where its parts are wired. */
export interface Session extends AsyncDisposable {
  readonly mirror: Mirror
  readonly metrics: Metrics
  readonly views: Views
  readonly judge: Judge
  readonly tenants: readonly TenantParts[]
  /**
   * Runs one resource and judges what it touched.
   *
   * @throws FatalError when the database is lost: nothing may go on with it.
   */
  run(tenant: TenantParts, resource: ResourceName, mode: SyncMode, signal: AbortSignal): Promise<RunResult>
  /**
   * Judges every check of every tenant.
   *
   * @throws FatalError as `run` does.
   */
  evaluate(): Promise<void>
}

export interface SessionOptions {
  readonly settings: Settings
  readonly io: Io
  readonly log: Log
  readonly progress?: SyncObserver['page']
}

/**
 * Takes the engine's lock, opens the mirror and wires every tenant.
 *
 * @throws FatalError when another engine works on the database, or it cannot be opened.
 */
export async function openSession({ settings, io, log, progress }: SessionOptions): Promise<Session> {
  const mirror = openMirror(settings.storePath, 'engine')
  try {
    const { clock } = io
    const views = createViews(mirror, settings, clock)
    const config = metricsConfig(settings)
    const metrics = createMetrics({ version, startedAt: clock.now(), config, read: () => views.readings() })
    const tenants = await openTenants({ settings, io, log, mirror, metrics, ...(progress && { progress }) })
    const judge = createJudge({ mirror, settings, metrics, clock, log })
    await judge.closeRemoved()
    return {
      mirror,
      metrics,
      views,
      judge,
      tenants,
      run: (tenant, resource, mode, signal) =>
        onSoundStore(mirror, async () => {
          const result = await tenant.engine.run(resource, mode, signal)
          logResult(log, result)
          if (result.outcome !== 'skipped' && result.reason !== 'aborted') {
            await judge.evaluate({ id: tenant.engine.tenantId, settings: tenant.settings }, [resource])
          }
          return result
        }),
      evaluate: () =>
        onSoundStore(mirror, async () => {
          for (const { engine, settings: own } of tenants) await judge.evaluate({ id: engine.tenantId, settings: own })
        }),
      async [Symbol.asyncDispose]() {
        for (const { client } of tenants) await client[Symbol.asyncDispose]()
        await mirror[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await mirror[Symbol.asyncDispose]()
    throw error
  }
}

/** Work of which nothing counts unless the database was the right one before and after it. */
async function onSoundStore<T>(mirror: Mirror, work: () => Promise<T>): Promise<T> {
  await mirror.ping()
  try {
    return await work()
  } finally {
    await mirror.ping()
  }
}

function logResult(log: Log, result: RunResult): void {
  const { tenant, resource, mode, outcome, reason, message, hint, counts, pages, durationMs } = result
  const fields = { tenant, resource, mode, reason, pages, ...counts, durationMs: Math.round(durationMs) }
  if (outcome === 'success') log.debug(fields, 'Run succeeded')
  else if (outcome === 'failure' && reason !== 'aborted') log.warn({ ...fields, detail: message, hint }, 'Run failed')
}
