import type { NotificationSettings } from '../config/settings.ts'
import type { MetricsEvents } from '../metrics/events.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { untriedResources } from '../model/posture.ts'
import type { Io } from '../model/process/io.ts'
import { hourMs, minuteMs, secondMs } from '../model/time.ts'
import { cronTimes } from '../schedule/cron-times.ts'
import type { Mirror, NotificationPosition } from '../store/port.ts'
import type { Delivery } from './delivery.ts'
import { messageOf } from './message.ts'
import { isChosen, type NewsRequest, type NewsViews, readNews } from './read-news.ts'

/** Wait after an evaluation, so that those of one round of syncs make one message. */
const groupMs = 10 * secondMs

/** Waits after failures double from the first to the last; a `Retry-After` may be an hour. */
const backoffMs = { first: 10 * secondMs, last: 15 * minuteMs, retryAfter: hourMs }

/** A tenant that this process owns; its store writes nothing once another replica owns it. */
export interface NotifiedTenant {
  readonly settings: { readonly name: string }
  readonly engine: { readonly tenantId: number }
  readonly store: Pick<Mirror, 'lastEventId' | 'newsEvents' | 'notificationPosition' | 'saveNotificationPosition'>
}

export interface LaneParts {
  readonly io: Pick<Io, 'clock' | 'random'>
  readonly log: Log
  readonly delivery: Pick<Delivery, 'deliver'>
  /** Those that this process owns, by name. */
  readonly tenants: () => ReadonlyMap<string, NotifiedTenant>
  readonly views: () => NewsViews
  readonly metrics: Pick<MetricsEvents, 'count'>
}

/** What a reload changes of a target. */
export interface LaneSettings {
  readonly target: NotificationSettings
  readonly timezone: string
  readonly pageUrl: string | null
}

/** Sends the news of all tenants to one target, one message after the other (docs/notifications.md). */
export class TargetLane implements AsyncDisposable {
  settings: LaneSettings
  readonly #parts: LaneParts
  /** Of the settings: a tenant whose first full sync was complete before is not new; milliseconds since the epoch. */
  #since: number
  /** By tenant, the monotonic time at which to look for news. */
  readonly #due = new Map<string, number>()
  /** The last event that was sent and could not be stored yet; forgotten with the ownership of the tenant. */
  readonly #sent = new WeakMap<NotifiedTenant, number>()
  /** The local time of the last message. */
  readonly #sentAt = new WeakMap<NotifiedTenant, number>()
  readonly #ending = new AbortController()
  #wake = new AbortController()
  #failures = 0
  #blockedUntil = Number.NEGATIVE_INFINITY
  readonly #running: Promise<void>

  constructor(settings: LaneSettings, parts: LaneParts) {
    this.settings = settings
    this.#parts = parts
    this.#since = parts.io.clock.now()
    this.#running = this.#run()
  }

  isFor(tenant: string): boolean {
    return isChosen(this.settings.target.tenants, tenant)
  }

  /** Call after each evaluation of a tenant. */
  evaluated(tenant: string): void {
    if (this.#due.has(tenant) || !this.isFor(tenant)) return
    this.#due.set(tenant, this.#parts.io.clock.monotonic() + groupMs)
    this.#wake.abort()
  }

  /** Tries pending messages again, because the settings have changed. */
  reconfigure(settings: LaneSettings): void {
    this.settings = settings
    this.#since = this.#parts.io.clock.now()
    this.#blockedUntil = Number.NEGATIVE_INFINITY
    for (const tenant of this.#due.keys()) this.#due.set(tenant, this.#parts.io.clock.monotonic() + groupMs)
    this.#wake.abort()
  }

  /** The stored position of a tenant. A target that is new begins at the end of the log, except for a new tenant. */
  async begin({ settings: { name }, engine: { tenantId: id }, store }: NotifiedTenant): Promise<NotificationPosition> {
    const { name: target } = this.settings.target
    const stored = await store.notificationPosition(id, target)
    if (stored !== undefined) return stored
    const last = await store.lastEventId(id)
    const [posture] = await this.#parts.views().posture(name)
    const isNew =
      posture?.resources.every(({ firstCompleteAt }) => (firstCompleteAt ?? this.#since) >= this.#since) ?? true
    const position = { eventId: isNew ? 0 : last, failingSince: null, problem: null }
    await store.saveNotificationPosition(id, target, position)
    return position
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    this.#wake.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts.io
    while (!this.#ending.signal.aborted) {
      this.#wake = new AbortController()
      const waitMs = await this.#pass()
      const { signal } = this.#wake
      if (this.#ending.signal.aborted || signal.aborted) continue
      if (waitMs === null) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      // Not longer, because the wall clock, which digests follow, may jump.
      else await clock.sleep(Math.min(waitMs, hourMs), signal).catch(() => {})
    }
  }

  /** Resolves with the milliseconds until the next one; null = until an evaluation. */
  async #pass(): Promise<number | null> {
    const { clock } = this.#parts.io
    for (const [name, at] of [...this.#due]) {
      if (this.#ending.signal.aborted || clock.monotonic() < this.#blockedUntil) break
      if (at > clock.monotonic()) continue
      this.#due.delete(name)
      const tenant = this.#parts.tenants().get(name)
      if (tenant === undefined || !this.isFor(name)) continue
      const waitMs = await this.#send(tenant).catch((error: unknown) => this.#failed(tenant, error))
      // Last in the order, so that the problem of a tenant does not delay the others.
      if (waitMs !== null) this.#due.set(name, clock.monotonic() + waitMs)
    }
    if (this.#due.size === 0) return null
    return Math.max(Math.min(...this.#due.values()), this.#blockedUntil) - clock.monotonic()
  }

  /** Resolves with the milliseconds after which to try again; null = after the next evaluation. */
  async #send(tenant: NotifiedTenant): Promise<number | null> {
    const { delivery, log } = this.#parts
    const views = this.#parts.views()
    const { target, pageUrl } = this.settings
    const {
      settings: { name },
      engine: { tenantId: id },
      store,
    } = tenant
    const stored = await this.begin(tenant)
    // Before the findings are read: what changes meanwhile is sent twice rather than never.
    const last = await store.lastEventId(id)
    // A failover of the database may lose its last events, whose ids are given out again.
    if ((this.#sent.get(tenant) ?? 0) > last) this.#sent.delete(tenant)
    const after = Math.max(stored.eventId, this.#sent.get(tenant) ?? 0)
    const request: NewsRequest = { store, tenantId: id, tenant: name, target, pageUrl, views }
    if (last > after) {
      if (after === 0 && !(await isTried(name, views))) return null
      const news = await readNews(request, after, last)
      if (news.found > 0) {
        // Not of a time before the last digest, for an event that was written after it.
        const waitMs = this.#untilDigest(Math.max(news.firstAt, this.#sentAt.get(tenant) ?? 0))
        if (waitMs > 0) return waitMs
        await delivery.deliver(target, messageOf(news, request), this.#ending.signal)
        this.#sent.set(tenant, last)
        this.#sentAt.set(tenant, this.#parts.io.clock.now())
        this.#count('success')
        if (this.#failures > 0) log.info({ target: target.name }, 'Notifications are delivered again')
        this.#failures = 0
      }
    }
    if (last > stored.eventId || stored.failingSince !== null)
      await store.saveNotificationPosition(id, target.name, { eventId: last, failingSince: null, problem: null })
    this.#sent.delete(tenant)
    return null
  }

  /**
   * A digest is due at the first time of its schedule after its first event, whenever the daemon was down; at once where a
   * wrong clock gave that event a time in the future.
   */
  #untilDigest(firstAt: number): number {
    const { target, timezone } = this.settings
    const now = this.#parts.io.clock.now()
    if (target.digest === null || firstAt > now) return 0
    return Math.min(Math.max(0, cronTimes(target.digest, timezone)(firstAt) - now), hourMs)
  }

  #count(outcome: 'success' | 'failure'): void {
    const { target } = this.settings
    this.#parts.metrics.count('tenantwatch_notifications_total', { target: target.name, outcome }, 1)
  }

  /** Plans the next attempt and stores the problem, which page and doctor show. */
  async #failed(tenant: NotifiedTenant, error: unknown): Promise<number | null> {
    const { io, log } = this.#parts
    const { target } = this.settings
    // The daemon ends, or another replica took the tenant.
    if (this.#ending.signal.aborted || reasonOf(error) === 'aborted') return null
    const retryAfterMs = error instanceof SyncError && error.retryAt !== undefined ? error.retryAt - io.clock.now() : 0
    const doubledMs = Math.min(backoffMs.first * 2 ** this.#failures, backoffMs.last)
    this.#failures++
    const waitMs = Math.max(doubledMs * (0.5 + io.random() / 2), Math.min(retryAfterMs, backoffMs.retryAfter))
    this.#blockedUntil = io.clock.monotonic() + waitMs
    this.#count('failure')
    const problem = error instanceof SyncError ? error.message : 'an error of tenantwatch; see the log'
    const of = { target: target.name, tenant: tenant.settings.name, problem }
    const found = error instanceof SyncError ? of : { ...of, err: error }
    if (this.#failures === 1) log.warn(found, 'A notification was not delivered; it is tried again')
    else log.debug(found, 'A notification was not delivered')
    try {
      const stored = await this.begin(tenant)
      const failingSince = stored.failingSince ?? io.clock.now()
      if (stored.problem === problem) return 0
      const position = { ...stored, failingSince, problem }
      await tenant.store.saveNotificationPosition(tenant.engine.tenantId, target.name, position)
    } catch {
      // The database has a problem of its own, which the daemon reports.
    }
    return 0
  }
}

/** False in the first sync of a tenant, whose news is one message. */
async function isTried(tenant: string, views: NewsViews): Promise<boolean> {
  const [posture] = await views.posture(tenant)
  return posture !== undefined && untriedResources(posture).length === 0
}
