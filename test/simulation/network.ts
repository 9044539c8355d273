import type { Outcome } from '../../src/api/transport/outcome.ts'
import { SyncError } from '../../src/model/errors.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import type { WallClock } from './clocks.ts'
import type { CursorBook } from './cursors.ts'
import { Falsifier } from './falsifier.ts'
import type { Ledger } from './ledger.ts'
import type { Prng } from './prng.ts'
import type { Feed, Readings } from './readings.ts'
import { askedOf, isFeedName, refusal, resourceOf, type Service, type ServiceAnswer } from './service.ts'
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
  /**
   * Start of the last complete full sync in the world's time, minus infinity before the first: a page of another tenant
   * shows by records that were created over an hour before it (docs/internals/sync.md#8-tenant-identity).
   */
  readonly readInFullAt: (resource: ResourceName) => number
  /** World time at which the daemon's present process began. */
  readonly bornAt: () => number
}

interface Struck {
  readonly world: World
  readonly answer: ServiceAnswer
  readonly prng: Prng
}

/** The wire between the daemon and the tenant: latencies, faults, answers. */
export class Network {
  readonly #parts: NetworkParts
  readonly #falsifier: Falsifier
  #requests = 0
  #turns = 0
  #cycle = 0
  readonly #asked = new Map<string, number>()

  constructor(parts: NetworkParts) {
    this.#parts = parts
    this.#falsifier = new Falsifier(parts)
  }

  /** The token that the daemon's environment holds now. */
  get token(): string {
    return this.#parts.weather.has('swapped-token') ? 'token-of-other' : 'token-of-own'
  }

  async send(path: string, token: string, scope: Scope, signal?: AbortSignal): Promise<Outcome> {
    const { time, weather, ledger } = this.#parts
    const prng = this.#prngOf(path)
    this.#insistOnSilence(path)
    try {
      await time.sleep(prng.between(5, 80), scope, signal)
      if (weather.has('outage')) return failure('network', true)
      const fault = weather.strike(prng)
      const outcome = this.#replayed(path, token, fault, prng)
      await time.sleep(outcome === 'silence' ? requestTimeoutMs : prng.between(5, 300), scope, signal)
      if (outcome === 'silence') return failure('timeout', true)
      if (outcome.kind === 'failure') return outcome
      if (outcome.retryAfterMs !== null) {
        ledger.waits.state({ toldAt: time.now, until: time.now + outcome.retryAfterMs })
      }
      return { ...outcome, receivedAt: this.#parts.wall.now, receivedMonotonic: time.now - scope.bornAt }
    } catch (error) {
      if (signal?.aborted === true) return failure('aborted', false)
      throw error
    }
  }

  /** Keyed by the ordinal of a path among the requests of ten minutes, so that the next cycle begins alike after any number of them. */
  #prngOf(path: string): Prng {
    const { time, prng } = this.#parts
    const cycle = Math.floor(time.now / (10 * minuteMs))
    if (cycle !== this.#cycle) this.#asked.clear()
    this.#cycle = cycle
    const [name = ''] = path.split('?')
    const ordinal = (this.#asked.get(name) ?? 0) + 1
    this.#asked.set(name, ordinal)
    return prng.stream(`request ${cycle} ${name} ${ordinal}`)
  }

  #insistOnSilence(path: string): void {
    const { time, wall, ledger, bornAt } = this.#parts
    const broken = ledger.waits.brokenBy(time.now, bornAt(), wall)
    if (broken === undefined) return
    ledger.tooEarly.push(`${path} came ${broken.until - time.now} ms before the end of a stated wait`)
  }

  /** A cache in front of the tenant answers without it. */
  #replayed(path: string, token: string, fault: RequestFault | null, prng: Prng): Outcome | 'silence' {
    const { ledger, time, weather } = this.#parts
    const resource = resourceOf(path)
    const isOwn = token === 'token-of-own' && !weather.has('dead-token')
    const replayed = fault === null && isOwn ? this.#falsifier.replay(path, resource) : null
    if (replayed !== null) {
      weather.note('replay')
      return replayed
    }
    const outcome = this.#answer(path, token, fault, prng)
    if (outcome === 'silence' || outcome.kind === 'failure' || outcome.status !== 200) return outcome
    ledger.answeredAt = time.now
    if (fault === null && isOwn) this.#falsifier.learn(path, resource, outcome)
    return outcome
  }

  #answer(path: string, token: string, fault: RequestFault | null, prng: Prng): Outcome | 'silence' {
    const { weather, own, other } = this.#parts
    const resource = resourceOf(path)
    if (weather.has('dead-token')) return this.#refuse(401)
    if (
      weather.has('missing-permission') &&
      permissions[weather.detail('missing-permission') % 6]?.includes(resource)
    ) {
      return this.#refuse(401)
    }
    const isSwapped = token === 'token-of-other'
    if (isSwapped && lackedByOther[weather.detail('swapped-token') % 6]?.includes(resource)) return this.#refuse(401)
    const world = isSwapped || this.#isMixed(path) ? other : own
    const answer = this.#falsifier.answer(askedOf(path), world)
    if (fault === null) return this.#deliver(path, world, answer)
    const struck = this.#strike(fault, path, { world, answer, prng })
    if (struck === null) return this.#deliver(path, world, answer)
    weather.note(fault)
    return struck
  }

  /** True when a load balancer sends this request to another tenant. */
  #isMixed(path: string): boolean {
    const { weather } = this.#parts
    if (!weather.has('mixed-tenants')) return false
    const { feed } = askedOf(path)
    if (feed !== null && this.#parts.readInFullAt(feed) === Number.NEGATIVE_INFINITY) return false
    // A user by id is another tenant's 404, which looks like a real one.
    if (/^\/api\/public\/users\//.test(path)) return false
    const detail = weather.detail('mixed-tenants')
    // In turns: by chance, a page in many passes every repeated read (docs/internals/reliability.md).
    const mixed = ++this.#turns % (2 + (detail % 4)) === 0
    if (mixed) weather.note('foreign-answer')
    return mixed
  }

  /** A page of another tenant is detected when most of five or more records are old and not shared (docs/internals/sync.md#8-tenant-identity). */
  #mayCross(feed: Feed): boolean {
    const { own, other, readings, service, readInFullAt } = this.#parts
    if (readings.pageSize[feed] < 5) return false
    const { shown } = service.answer(`/api/public/${feed}`, other)
    // Also of those that left: the mirror knows them.
    const ids = new Set(own.lists[feed].ids())
    const { now } = this.#parts.time
    const isOld = (id: string) => (other.lists[feed].get(id)?.createdAt ?? now) < readInFullAt(feed) - hourMs
    return shown.length >= 5 && shown.filter((id) => isOld(id) && !ids.has(id)).length * 2 > shown.length
  }

  #strike(fault: RequestFault, path: string, { world, answer, prng }: Struck): Outcome | 'silence' | null {
    const { weather, cursors, service, other, own, ledger } = this.#parts
    const cursor = new URL(path, 'http://tenant').searchParams.get('cursor')
    const [name = ''] = path.replace('/api/public/', '').split('?')
    const isFeed = answer.pagination !== null
    switch (fault) {
      case 'network':
        return failure('network', true)
      case 'stale-connection':
        return { ...failure('network', true) }
      case 'timeout':
        return 'silence'
      case 'server-error':
        return this.#refuse(prng.pick([500, 502, 503]))
      case 'short-wait':
      case 'long-wait':
        return this.#refuse(prng.pick([429, 503]), weather.statedWait(fault, prng))
      case 'denied-once':
        return this.#refuse(401)
      case 'list-not-found':
        return name.includes('/') ? null : this.#refuse(404)
      case 'empty-clients':
        if (name !== 'api-clients') return null
        // It ends the pass where nothing is missing (docs/internals/sync.md#4-whole-full-sync), but never at the beginning.
        if (cursor !== null) {
          this.#noteFullSync(path, world, { hasMore: false })
          if (world === own) for (const id of answer.shown) ledger.hide('api-clients', id)
        }
        return this.#say({ ...answer, data: [], pagination: { hasMore: false, nextCursor: null } }, path)
      case 'cursor-refused':
        if (cursor === null || name === 'api-clients') return null
        if (prng.chance(0.3)) cursors.invalidateAll()
        return this.#refuse(400)
      case 'repeated-cursor':
        return cursor === null || !isFeed
          ? null
          : this.#say({ ...answer, pagination: { hasMore: true, nextCursor: cursor } }, path)
      case 'repeated-page':
        return cursor === null ? null : this.#deliver(path, world, service.answer(`/api/public/${name}`, world))
      case 'empty-page': {
        const content = cursor === null || !isFeedName(name) ? null : cursors.read(cursor, name, world.name)
        if (content === null) return null
        const pagination = { hasMore: true, nextCursor: cursors.issue(content, cursor, []) }
        this.#noteFullSync(path, world, pagination)
        return this.#say({ ...answer, data: [], pagination }, path)
      }
      case 'crossed-tenant':
        if (!isFeedName(name) || world !== own || !this.#mayCross(name)) return null
        return this.#say(service.answer(`/api/public/${name}`, other), path)
      default: {
        const spoilt = spoil(fault, answer, prng)
        if (spoilt === null) return null
        for (const id of spoilt.malformed) ledger.malformed.add(`${resourceOf(path)} ${id}`)
        if (fault === 'malformed-record' || fault === 'unreadable-id')
          this.#noteFullSync(path, world, answer.pagination)
        return this.#text(200, spoilt.text(this.#meta(path)))
      }
    }
  }

  #deliver(path: string, world: World, answer: ServiceAnswer): Outcome {
    const { ledger, time, own } = this.#parts
    const resource = resourceOf(path)
    // Of a user by id only the role is taken.
    const isList = !/^\/api\/public\/users\//.test(path)
    if (world === own && isList && answer.status === 200) {
      for (const id of answer.shown) ledger.show(resource, id, time.now)
    }
    if (answer.status === 200) this.#noteFullSync(path, world, answer.pagination)
    if (answer.status === 404) ledger.deny(path.split('/').at(-1) ?? '', time.now)
    return this.#say(answer, path)
  }

  /** A list, or a page of one, was answered in a form that may be believed. */
  #noteFullSync(path: string, world: World, pagination: ServiceAnswer['pagination']): void {
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
    // What begins at a time is no full sync.
    const from = searchParams.has('updatedAfter') ? 'updatedAfter' : searchParams.get('cursor')
    ledger.wire.page(name, from, end, time.now)
  }

  #say(answer: ServiceAnswer, path: string): Outcome {
    return this.#text(answer.status, JSON.stringify(envelope(answer, this.#meta(path))))
  }

  #refuse(status: number, retryAfterMs: number | null = null): Outcome {
    const outcome = this.#say(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'INTERNAL_ERROR'), '')
    return outcome.kind === 'answer' ? { ...outcome, retryAfterMs } : outcome
  }

  #text(status: number, text: string): Outcome {
    const { time, server } = this.#parts
    // RFC 9110 asks every server with a clock for the header, which a cache keeps.
    const date = Math.floor((time.now + server.skewMs) / secondMs) * secondMs
    const received = { ageSeconds: null, receivedAt: 0, receivedMonotonic: 0 }
    return { kind: 'answer', status, body: Buffer.from(text), retryAfterMs: null, date, ...received }
  }

  #meta(path: string): Record<string, unknown> {
    const { time, server, ledger } = this.#parts
    const id = (++this.#requests).toString(16).padStart(12, '0')
    const now = time.now + server.skewMs
    const isRefusal = path === ''
    const { text, ms } = isRefusal
      ? { text: new Date(now).toISOString(), ms: now }
      : this.#falsifier.timestamp(resourceOf(path), now)
    if (!isRefusal) ledger.times.note(resourceOf(path), ms === null ? null : ms - time.now, time.now)
    return { requestId: `00000000-0000-4000-8000-${id}`, ...(text === undefined ? {} : { timestamp: text }) }
  }
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

function failure(reason: 'network' | 'timeout' | 'aborted', retriable: boolean) {
  return { kind: 'failure', error: new SyncError(reason, `It is ${reason}`), retriable, untouched: false } as const
}
