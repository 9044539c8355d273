import { hourMs, secondMs } from '../../src/model/durations.ts'
import { SyncError } from '../../src/model/errors.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Outcome } from '../../src/tenant/wire/outcome.ts'
import type { WallClock } from './clocks.ts'
import type { CursorBook } from './cursors.ts'
import type { Ledger } from './ledger.ts'
import type { Prng } from './prng.ts'
import type { Readings } from './readings.ts'
import { refusal, type Service, type ServiceAnswer } from './service.ts'
import { envelope, spoil } from './spoil.ts'
import type { Scope, VirtualTime } from './virtual-time.ts'
import type { RequestFault, Weather } from './weather.ts'
import type { World } from './world.ts'

const requestTimeoutMs = 10 * secondMs

export interface NetworkParts {
  readonly time: VirtualTime
  readonly wall: WallClock
  readonly prng: Prng
  readonly weather: Weather
  readonly service: Service
  readonly cursors: CursorBook
  readonly readings: Readings
  readonly ledger: Ledger
  readonly own: World
  readonly other: World
  /** Server clock minus the world's time, in milliseconds. */
  readonly server: { skewMs: number }
  /** True once a resource was walked to its end: from then on a page of strangers shows (contract: Tenant guard, b). */
  readonly walked: (resource: ResourceName) => boolean
  /** World time at which the daemon's present process began. */
  readonly bornAt: () => number
}

/** The wire between the daemon and the tenant: latencies, faults, answers. */
export class Network {
  readonly #parts: NetworkParts
  #requests = 0

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  /** The token that the daemon's environment holds now. */
  get token(): string {
    return this.#parts.weather.has('swapped-token') ? 'token-of-other' : 'token-of-own'
  }

  async send(path: string, token: string, scope: Scope, signal?: AbortSignal): Promise<Outcome> {
    const { time, prng, weather, ledger } = this.#parts
    this.#insistOnSilence(path)
    ledger.requests++
    try {
      await time.sleep(prng.between(5, 80), scope, signal)
      if (weather.has('outage')) return failure('network', true)
      const fault = weather.strike()
      const outcome = this.#answer(path, token, fault)
      await time.sleep(outcome === 'silence' ? requestTimeoutMs : prng.between(5, 300), scope, signal)
      if (outcome === 'silence') return failure('timeout', true)
      if (outcome.kind === 'failure') return outcome
      ledger.answers++
      if (outcome.retryAfterMs !== null) {
        ledger.waits.state({ toldAt: time.now, until: time.now + outcome.retryAfterMs })
      }
      return { ...outcome, receivedAt: this.#parts.wall.now, receivedMonotonic: time.now }
    } catch (error) {
      if (signal?.aborted === true) return failure('aborted', false)
      throw error
    }
  }

  #insistOnSilence(path: string): void {
    const { time, wall, ledger, bornAt } = this.#parts
    const broken = ledger.waits.brokenBy(time.now, bornAt(), wall)
    if (broken === undefined) return
    ledger.tooEarly.push(`${path} came ${broken.until - time.now} ms before the end of a stated wait`)
  }

  #answer(path: string, token: string, fault: RequestFault | null): Outcome | 'silence' {
    const { weather, own, other, service } = this.#parts
    const resource = resourceOf(path)
    if (weather.has('dead-token')) return this.#refuse(401)
    if (weather.has('missing-permission') && permissions[weather.detail('missing-permission')]?.includes(resource)) {
      return this.#refuse(401)
    }
    const world = token === 'token-of-other' ? other : own
    if (world === other && lackedByOther[weather.detail('swapped-token')]?.includes(resource)) return this.#refuse(401)
    const answer = service.answer(path, world)
    if (fault === null) return this.#deliver(path, world, answer)
    const struck = this.#strike(fault, path, world, answer)
    if (struck === null) return this.#deliver(path, world, answer)
    weather.note(fault)
    return struck
  }

  #strike(fault: RequestFault, path: string, world: World, answer: ServiceAnswer): Outcome | 'silence' | null {
    const { prng, weather, cursors, service, other, own, ledger } = this.#parts
    const cursor = new URL(path, 'http://tenant').searchParams.get('cursor')
    const [name = ''] = path.replace('/api/public/', '').split('?')
    const isFeed = answer.pagination !== null
    switch (fault) {
      case 'network':
        return failure('network', true)
      case 'stale-connection':
        return { ...failure('network', true), untouched: true }
      case 'timeout':
        return 'silence'
      case 'server-error':
        return this.#refuse(prng.pick([500, 502, 503]))
      case 'short-wait':
      case 'long-wait':
        return this.#refuse(prng.pick([429, 503]), weather.statedWait(fault))
      case 'denied-once':
        return this.#refuse(401)
      case 'list-not-found':
        return name.includes('/') ? null : this.#refuse(404)
      case 'empty-clients':
        if (name !== 'api-clients') return null
        // Twice in the same place it is believed (contract: Empty api-clients), but never at the beginning.
        if (cursor !== null) this.#noteWalk(path, world, { hasMore: false })
        return this.#say({ ...answer, data: [], pagination: { hasMore: false, nextCursor: null } })
      case 'cursor-refused':
        if (cursor === null || name === 'api-clients') return null
        if (prng.chance(0.3)) cursors.invalidateAll()
        return this.#refuse(400)
      case 'repeated-cursor':
        return cursor === null || !isFeed
          ? null
          : this.#say({ ...answer, pagination: { hasMore: true, nextCursor: cursor } })
      case 'repeated-page':
        return cursor === null ? null : this.#deliver(path, world, service.answer(`/api/public/${name}`, world))
      case 'empty-page': {
        const content = cursor === null || !isFeedName(name) ? null : cursors.read(cursor, name, world.name)
        if (content === null) return null
        const pagination = { hasMore: true, nextCursor: cursors.issue(content, cursor, []) }
        this.#noteWalk(path, world, pagination)
        return this.#say({ ...answer, data: [], pagination })
      }
      case 'crossed-tenant':
        // Smaller pages are let in by contract (Tenant guard, b: a page of five or more).
        if (!isFeedName(name) || world !== own || this.#parts.readings.pageSize[name] < 5) return null
        if (!this.#parts.walked(name)) return null
        return this.#say(service.answer(`/api/public/${name}`, other))
      default: {
        const spoilt = spoil(fault, answer, prng)
        if (spoilt === null) return null
        for (const id of spoilt.malformed) ledger.malformed.add(`${resourceOf(path)} ${id}`)
        if (fault === 'malformed-record' || fault === 'unreadable-id') this.#noteWalk(path, world, answer.pagination)
        return this.#text(200, spoilt.text(this.#meta()))
      }
    }
  }

  #deliver(path: string, world: World, answer: ServiceAnswer): Outcome {
    const { ledger, time, own } = this.#parts
    const resource = resourceOf(path)
    if (world === own && answer.status === 200) for (const id of answer.shown) ledger.show(resource, id, time.now)
    if (answer.status === 200) this.#noteWalk(path, world, answer.pagination)
    if (answer.status === 404) ledger.deny(path.split('/').at(-1) ?? '', time.now)
    return this.#say(answer)
  }

  /** A list, or a page of one, was answered in a form that may be believed. */
  #noteWalk(path: string, world: World, pagination: ServiceAnswer['pagination']): void {
    const { ledger, time, own } = this.#parts
    const { pathname, searchParams } = new URL(path, 'http://tenant')
    const name = pathname.replace('/api/public/', '')
    if (world !== own || name.includes('/')) return
    if (!isFeedName(name) || pagination === null) {
      ledger.wire.whole(resourceOf(path), time.now)
      return
    }
    const { hasMore, nextCursor } = pagination
    const end = { hasMore: hasMore === true, nextCursor: typeof nextCursor === 'string' ? nextCursor : null }
    // What begins at a time is no walk.
    const from = searchParams.has('updatedAfter') ? 'updatedAfter' : searchParams.get('cursor')
    ledger.wire.page(name, from, end, time.now)
  }

  #say(answer: ServiceAnswer): Outcome {
    return this.#text(answer.status, JSON.stringify(envelope(answer, this.#meta())))
  }

  #refuse(status: number, retryAfterMs: number | null = null): Outcome {
    const outcome = this.#say(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'INTERNAL_ERROR'))
    return outcome.kind === 'answer' ? { ...outcome, retryAfterMs: bounded(retryAfterMs) } : outcome
  }

  #text(status: number, text: string): Outcome {
    return { kind: 'answer', status, body: Buffer.from(text), retryAfterMs: null, receivedAt: 0, receivedMonotonic: 0 }
  }

  #meta(): Record<string, unknown> {
    const { time, server } = this.#parts
    const id = (++this.#requests).toString(16).padStart(12, '0')
    return {
      requestId: `00000000-0000-4000-8000-${id}`,
      timestamp: new Date(time.now + server.skewMs).toISOString(),
    }
  }
}

/** A stated wait is taken for at most one hour (contract: HTTP). */
function bounded(ms: number | null): number | null {
  return ms === null ? null : Math.min(ms, hourMs)
}

/** Resources by the permission that opens them. */
const permissions: readonly (readonly ResourceName[])[] = [
  ['users'],
  ['roles', 'permissions'],
  ['authentication-settings'],
  ['api-clients'],
  ['documents'],
]

/**
 * What the other tenant's token may not read, one of these a spell. Most of all what would show whose data they are: then
 * nothing but roles and settings could be taken for this tenant's.
 */
const lackedByOther: readonly (readonly ResourceName[])[] = [
  [],
  ['users'],
  ['documents', 'api-clients'],
  ['users', 'documents', 'api-clients'],
  ['users', 'documents', 'api-clients'],
  ['users', 'documents', 'api-clients', 'roles', 'permissions'],
]

function isFeedName(name: string): name is 'users' | 'documents' | 'api-clients' {
  return name === 'users' || name === 'documents' || name === 'api-clients'
}

function resourceOf(path: string): ResourceName {
  const [name = ''] = path.replace('/api/public/', '').split(/[/?]/)
  if (isFeedName(name) || name === 'roles' || name === 'permissions' || name === 'authentication-settings') return name
  throw new TypeError(`The daemon asked for ${path}`)
}

function failure(reason: 'network' | 'timeout' | 'aborted', retriable: boolean) {
  return { kind: 'failure', error: new SyncError(reason, `It is ${reason}`), retriable, untouched: false } as const
}
