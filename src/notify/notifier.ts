import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../config/settings.ts'
import { mapTenants } from '../model/in-turns.ts'
import type { Io } from '../model/process/io.ts'
import { createDelivery, type Delivery } from './delivery.ts'
import { type LaneParts, TargetLane } from './target-lane.ts'

export interface NotifierParts extends Omit<LaneParts, 'delivery'> {
  readonly io: Pick<Io, 'clock' | 'env' | 'random'>
}

/** Sends what changes to the configured targets, each at its own pace. */
export class Notifier implements AsyncDisposable {
  readonly #parts: NotifierParts
  readonly #delivery: Delivery
  readonly #lanes = new Map<string, TargetLane>()

  constructor(parts: NotifierParts) {
    this.#parts = parts
    this.#delivery = createDelivery(parts.io, parts.log)
  }

  /** Call when the configuration or the tenants of this process changed, before work on new tenants begins. */
  async follow({ notifications, timezone, server }: Settings): Promise<void> {
    const { log, metrics, tenants } = this.#parts
    const wanted = new Set(notifications.map(({ name }) => name))
    for (const [name, lane] of this.#lanes) {
      if (wanted.has(name)) continue
      this.#lanes.delete(name)
      await lane[Symbol.asyncDispose]()
    }
    for (const target of notifications) {
      const settings = { target, timezone, pageUrl: server.externalUrl }
      const lane =
        this.#lanes.get(target.name) ?? new TargetLane(settings, { ...this.#parts, delivery: this.#delivery })
      this.#lanes.set(target.name, lane)
      if (!isDeepStrictEqual(lane.settings, settings)) lane.reconfigure(settings)
      for (const outcome of ['success', 'failure'] as const)
        metrics.count('tenantwatch_notifications_total', { target: target.name, outcome }, 0)
      const notified = [...tenants().values()].filter((tenant) => lane.isFor(tenant.settings.name))
      await mapTenants(notified, (tenant) => lane.begin(tenant)).catch((error: unknown) => {
        const found = { target: target.name, detail: String(error) }
        log.warn(found, 'The position of a target of notifications cannot be stored; the next evaluation tries again')
      })
    }
  }

  /** Call after each evaluation of a tenant. */
  evaluated(tenant: string): void {
    for (const lane of this.#lanes.values()) lane.evaluated(tenant)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane[Symbol.asyncDispose]()))
    await this.#delivery[Symbol.asyncDispose]()
  }
}
