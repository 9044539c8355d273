import type { Answer } from '../../src/api/transport/outcome.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { minuteMs } from '../../src/model/time.ts'
import {
  contradicting,
  idOfBody,
  isChosen,
  unreadableTime,
  withFarDate,
  withoutPermissions,
  withRecords,
  withSecrets,
  withWrongText,
  wrongTimeMs,
} from './falsify.ts'
import { noticedSkewMs } from './ledger.ts'
import type { NetworkParts } from './network.ts'
import type { Feed } from './readings.ts'
import type { Asked, ServiceAnswer } from './service.ts'
import { feedOf, resourceOfDetail } from './weather.ts'
import type { UserTruth, World } from './world.ts'

type Body = Record<string, unknown>

type FalsifierParts = Pick<
  NetworkParts,
  'bornAt' | 'time' | 'wall' | 'prng' | 'weather' | 'service' | 'cursors' | 'ledger' | 'own'
>

interface Cached {
  readonly answer: Answer
  /** World time. */
  readonly at: number
  /** How wrong its server time was then; null where it cannot be read. */
  readonly wrongMs: number | null
}

/** Makes answers of the tenant false in ways that no check of one answer's form can notice. */
export class Falsifier {
  readonly #parts: FalsifierParts
  /** Ids that a bleeding list has lost; they come back when it ends. */
  readonly #bled = new Set<string>()
  #bledAt = Number.NEGATIVE_INFINITY
  /** Cursors by which a pass continues, not those that are kept at its end. */
  readonly #continuing = new Set<string>()
  readonly #oldest = new Map<string, Cached>()
  readonly #latest = new Map<string, Cached>()
  /** Records last seen at the beginning and further on in a list, for copies on another page. */
  readonly #first = new Map<Feed, Body>()
  readonly #later = new Map<Feed, Body>()

  constructor(parts: FalsifierParts) {
    this.#parts = parts
  }

  /** The answer of a cache in place of the tenant; null when no cache answers. */
  replay(path: string, resource: ResourceName): Answer | null {
    const { weather, ledger, time, wall, bornAt } = this.#parts
    const spell = this.#cached(resource)
    if (spell === null) return null
    const detail = weather.detail(spell)
    const kept = (detail % 2 === 0 ? this.#latest : this.#oldest).get(path)
    if (kept === undefined) return null
    const ageMs = time.now - kept.at
    const wrongMs = kept.wrongMs === null ? null : kept.wrongMs - ageMs
    ledger.times.note(resource, wrongMs, time.now)
    if (wrongMs !== null && Math.abs(wrongMs - wall.offset) <= noticedSkewMs) ledger.replayedOffset = wall.offset
    ledger.replays.set(resource, time.now)
    if (wrongMs === null && kept.at < bornAt()) ledger.unknowable.set(resource, time.now)
    // Some caches state its age.
    const aged = { ...kept.answer, ageSeconds: detail % 3 === 0 ? Math.floor(ageMs / 1000) : null }
    return aged
  }

  /** Lets a cache learn an answer. */
  learn(path: string, resource: ResourceName, answer: Answer): void {
    if (this.#cached(resource) !== null) return
    const { ledger, time } = this.#parts
    const kept = { answer, at: time.now, wrongMs: ledger.times.of(resource)?.wrongMs ?? null }
    this.#latest.set(path, kept)
    if (!this.#oldest.has(path)) this.#oldest.set(path, kept)
  }

  #cached(resource: ResourceName): 'cached-tenant' | 'cached-resource' | null {
    const { weather } = this.#parts
    if (weather.has('cached-tenant')) return 'cached-tenant'
    const isOne =
      weather.has('cached-resource') && resourceOfDetail(weather.detail('cached-resource') >> 1) === resource
    return isOne ? 'cached-resource' : null
  }

  /** `meta.timestamp` of an answer: a text, anything else, or undefined where it is missing; and how wrong it is. */
  timestamp(resource: ResourceName, now: number): { readonly text: unknown; readonly ms: number | null } {
    const { weather } = this.#parts
    if (weather.has('unreadable-time')) return { text: unreadableTime(weather.detail('unreadable-time')), ms: null }
    const frozen = weather.since('frozen-time')
    const isOne =
      weather.has('wrong-time-resource') && resourceOfDetail(weather.detail('wrong-time-resource')) === resource
    const wrong = isOne ? wrongTimeMs(weather.detail('wrong-time-resource') >> 1) : this.#wrongMs()
    const ms = frozen === null ? now + wrong : frozen
    return { text: new Date(ms).toISOString(), ms }
  }

  #wrongMs(): number {
    const { weather } = this.#parts
    return weather.has('wrong-time') ? wrongTimeMs(weather.detail('wrong-time')) : 0
  }

  /** The answer to a request, false where a spell is on. */
  answer(asked: Asked, world: World): ServiceAnswer {
    const { service, weather, own } = this.#parts
    if (world !== own) return service.answer(asked.path, world)
    this.#bleed()
    const answer = service.answer(asked.path, world, {
      isHidden: (id) => this.#bled.has(`${asked.resource} ${id}`),
      skips: (feed, id) => this.#skips(feed, id, asked),
      version: (user) => this.#lagging(user),
    })
    if (answer.status !== 200) return answer
    const false_ = this.#falsified(asked, answer)
    this.#remember(asked, answer)
    const { nextCursor, hasMore } = answer.pagination ?? {}
    if (typeof nextCursor === 'string') {
      if (hasMore === true) this.#continuing.add(nextCursor)
      else this.#continuing.delete(nextCursor)
    }
    if (false_ !== answer) weather.note('false-answer')
    return false_
  }

  #falsified(asked: Asked, answer: ServiceAnswer): ServiceAnswer {
    const { weather, ledger } = this.#parts
    const { resource } = asked
    let falsified = answer
    if (this.#isEmptyLaterPage(asked)) {
      this.#hideAllButFirst(asked)
      return { ...answer, data: [], shown: [], pagination: { ...answer.pagination, hasMore: false, nextCursor: null } }
    }
    if (weather.has('empty-permissions') && resource === 'roles') falsified = withRecords(falsified, withoutPermissions)
    if (weather.has('far-dates')) {
      const detail = weather.detail('far-dates')
      const isKept = weather.has('unreadable-time')
      falsified = withRecords(falsified, (body, id) => {
        if (!isChosen(id, detail)) return body
        // Where the answer's own time cannot be read, no date is implausible.
        if (isKept) ledger.malformed.add(`${resource} ${id}`)
        return withFarDate(body, id)
      })
    }
    if (weather.has('secret-fields')) {
      const detail = weather.detail('secret-fields')
      falsified = withRecords(falsified, (body, id) => {
        if (!('mfaStatus' in body) || !isChosen(id, detail)) return withSecrets(body)
        ledger.malformed.add(`${resource} ${id}`)
        return { ...withSecrets(body), mfaStatus: 'no' }
      })
    }
    if (weather.has('wrong-settings-types') && resource === 'authentication-settings') {
      falsified = withRecords(falsified, (body) => withWrongText(body, weather.detail('wrong-settings-types')))
    }
    return weather.has('double-ids') ? this.#doubled(asked, falsified) : falsified
  }

  #isEmptyLaterPage({ feed, cursor, updatedAfter }: Asked): boolean {
    const { weather } = this.#parts
    if (!weather.has('empty-later-pages') || feed !== feedOf(weather.detail('empty-later-pages'))) return false
    return cursor !== null && !updatedAfter && this.#continuing.has(cursor)
  }

  #hideAllButFirst({ feed }: Asked): void {
    const { own, service, ledger } = this.#parts
    if (feed === null) return
    const first = new Set(service.answer(`/api/public/${feed}`, own).shown)
    for (const id of own.ids(feed)) if (!first.has(id)) ledger.hide(feed, id)
  }

  /** Loses up to four more records every now and then. */
  #bleed(): void {
    const { weather, time, own, ledger } = this.#parts
    if (!weather.has('bleeding-list')) {
      this.#bled.clear()
      return
    }
    const detail = weather.detail('bleeding-list')
    const feed = feedOf(detail)
    const everyMs = (detail % 2 === 0 ? 8 : 25) * 60_000
    if (time.now - this.#bledAt < everyMs) return
    this.#bledAt = time.now
    const prng = this.#parts.prng.stream(`bleeding-list ${Math.floor(time.now / minuteMs)}`)
    const left = own.ids(feed).filter((id) => !this.#bled.has(`${feed} ${id}`))
    for (const id of left.slice(1, 1 + prng.between(1, 5))) {
      this.#bled.add(`${feed} ${id}`)
      ledger.bleed(feed, id)
    }
  }

  #skips(feed: Feed, id: string, { updatedAfter, cursor }: Asked): boolean {
    const { weather, ledger } = this.#parts
    if (!weather.has('boundary-shift') || feed === 'api-clients' || updatedAfter) return false
    if (cursor === null || !this.#continuing.has(cursor)) return false
    ledger.hide(feed, id)
    return true
  }

  #lagging(user: UserTruth): UserTruth {
    const { weather, own, time, ledger } = this.#parts
    if (!weather.has('lagging-details')) return user
    const lagMs = (5 + 2 * weather.detail('lagging-details')) * 60_000
    ledger.lagMs = Math.max(ledger.lagMs, lagMs)
    const then = own.users.within(user.userId, time.now - lagMs, time.now - lagMs)[0] ?? user
    if (then !== user) weather.note('older-detail')
    return then
  }

  #remember({ feed, cursor, updatedAfter }: Asked, { data }: ServiceAnswer): void {
    if (feed === null || !Array.isArray(data) || data.length === 0 || updatedAfter) return
    const bodies = data as Body[]
    if (cursor === null && bodies[0] !== undefined) this.#first.set(feed, bodies[0])
    const last = bodies.at(-1)
    if (cursor !== null && last !== undefined) this.#later.set(feed, last)
  }

  /** One record once more, with other values. */
  #doubled({ resource, feed, cursor, updatedAfter }: Asked, answer: ServiceAnswer): ServiceAnswer {
    const { weather, own, ledger } = this.#parts
    const detail = weather.detail('double-ids')
    if (!Array.isArray(answer.data) || answer.data.length === 0 || resource !== resourceOfDetail(detail >> 2)) {
      return answer
    }
    if (updatedAfter || (cursor !== null && !this.#continuing.has(cursor))) return answer
    const bodies = answer.data as Body[]
    const across = detail % 4 > 1 && feed !== null ? (cursor === null ? this.#later : this.#first).get(feed) : undefined
    const isThere = across !== undefined && own.ids(resource).includes(idOfBody(across) ?? '')
    if (detail % 4 > 1 && isThere && (cursor === null) === (detail % 4 === 2)) {
      // Before the other page is read, the engine cannot know that one of the two is wrong.
      ledger.malformed.add(`${resource} ${idOfBody(across)}`)
      ledger.contradicted.add(`${resource} ${idOfBody(across)}`)
      return { ...answer, data: [...bodies, contradicting(across)] }
    }
    if (detail % 4 > 1) return answer
    const copied = bodies.filter((body) => isChosen(idOfBody(body) ?? '', detail))
    const copies = copied.map(contradicting)
    // None of them is shown well.
    const shown = answer.shown.filter((id) => !copied.some((body) => idOfBody(body) === id))
    return { ...answer, shown, data: detail % 4 === 0 ? [...bodies, ...copies] : [...copies, ...bodies] }
  }
}
