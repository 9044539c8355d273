import { dayMs, hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import type { WallClock } from './clocks.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import type { Oracle } from './oracle.ts'
import type { Maker } from './populate.ts'
import type { Prng } from './prng.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { Weather } from './weather.ts'
import type { World } from './world.ts'

export interface CalamityParts {
  readonly time: VirtualTime
  readonly wall: WallClock
  readonly prng: Prng
  readonly weather: Weather
  readonly machine: Machine
  readonly oracle: Oracle
  readonly ledger: Ledger
  readonly server: { skewMs: number }
  readonly world: World
  readonly maker: Maker
}

/** Faults of the machine, and actions of people that no page of the tenant shows. */
export const calamities = [
  'check-ailing',
  'clock-jump',
  'clock-leap',
  'dark-leap',
  'death',
  'reused-ids',
  'server-skew',
]

/** Faults of the machine itself: the process is killed or stopped, the clocks jump. */
export class Calamity {
  readonly counts = new Map<string, number>()
  readonly #parts: CalamityParts
  #downUntil = 0
  #isOver = false

  constructor(parts: CalamityParts) {
    this.#parts = parts
  }

  /** Lets the calamities of the coming `ms` happen at instants of their own. */
  async pass(ms: number): Promise<void> {
    const { prng, time, machine } = this.#parts
    const ends = time.now + ms
    if (!machine.isUp && time.now >= this.#downUntil) await machine.start()
    if (this.#comes('clock-jump', 0.06)) this.#soon(ms, () => this.#jump())
    if (this.#comes('clock-leap', 0.03)) this.#soon(ms, () => this.#leap('clock-leap'))
    if (this.#comes('dark-leap', 0.02)) this.#darkLeap(ms)
    if (this.#comes('server-skew', 0.015)) this.#skewServer()
    if (this.#comes('reused-ids', 0.04)) this.#waiveAndReuse()
    machine.ailing = this.#comes('check-ailing', 0.15) ? this.#checkWithFindings() : null
    if (machine.ailing !== null) this.#count('check-ailing')
    const deaths = this.#comes('death', 0.2) ? prng.between(1, 3) : 0
    for (let i = 0; i < deaths && machine.isUp; i++) {
      const isAtWork = !machine.hasInstantStore && prng.chance(0.7)
      if (isAtWork) {
        const onlyCursors = prng.chance(0.5)
        machine.lightFuse(prng.between(0, onlyCursors ? 3 : 80), onlyCursors)
      }
      const until = isAtWork ? ends - secondMs : prng.between(time.now, ends - secondMs)
      await time.runUntil(Math.max(time.now, until), () => machine.isDying)
      await this.#die()
    }
  }

  /** True when a calamity comes in this step; the only one there is comes often. */
  #comes(name: string, chance: number): boolean {
    const { prng, weather } = this.#parts
    // Deaths go with everything: what a process knows is not all there is.
    if (!weather.allows(name) && name !== 'death') return false
    return prng.chance(weather.only === name ? Math.max(chance, 0.4) : chance)
  }

  /** At some instant of the coming `ms`, between any two awaits. */
  #soon(ms: number, act: () => void): void {
    const { time, prng } = this.#parts
    time.at(time.now + prng.between(0, ms - minuteMs), () => {
      if (!this.#isOver) act()
    })
  }

  async #die(): Promise<void> {
    const { prng, time, machine, ledger } = this.#parts
    if (!machine.isDying && prng.chance(0.4)) {
      machine.abort()
      await time.runUntil(time.now + prng.between(0, 500))
      await machine.stop()
      this.#count('stop')
    } else {
      await machine.crash()
      this.#count('crash')
    }
    ledger.waits.processEnded(time.now)
    if (prng.chance(0.15)) this.#downUntil = time.now + prng.between(1, 120) * minuteMs
    else await machine.start()
  }

  /** A check that has something to lose when it cannot evaluate; null when none has. */
  #checkWithFindings(): string | null {
    const { prng, machine } = this.#parts
    const open = machine.query('select distinct "check" as id from findings where resolved_at is null order by 1')
    return open.length === 0 ? null : String(prng.pick(open)['id'])
  }

  #jump(): void {
    const { prng, wall } = this.#parts
    const size = prng.pick([10 * secondMs, 4 * minuteMs, 10 * minuteMs, hourMs, 5 * hourMs])
    // Half of the jumps put the clock right again, as NTP does.
    wall.jump(wall.offset !== 0 && prng.chance(0.5) ? -wall.offset : prng.chance(0.5) ? size : -size)
    this.#count('clock-jump')
  }

  /** By years, as a machine without a clock battery has it, or back to the right time. */
  #leap(name: string): void {
    const { prng, wall } = this.#parts
    const size = prng.pick([30 * dayMs, 500 * dayMs, 3 * 365 * dayMs, 20_000 * dayMs])
    wall.jump(wall.offset !== 0 && prng.chance(0.5) ? -wall.offset : prng.chance(0.5) ? size : -size)
    this.#count(name)
  }

  /** The tenant cannot be reached while the clock leaps; perhaps the machine starts again meanwhile. */
  #darkLeap(ms: number): void {
    const { weather, time, prng } = this.#parts
    this.#soon(ms, () => {
      weather.darken(prng.between(20, 90) * minuteMs)
      time.at(time.now + prng.between(1, 10) * minuteMs, () => {
        if (!this.#isOver) this.#leap('dark-leap')
      })
    })
  }

  /** A finding of a user is waived; some time later the id is somebody else's, who fails the same check. */
  #waiveAndReuse(): void {
    const { machine, world, prng, wall, time, maker, oracle } = this.#parts
    const check = 'user-mfa-enrolled'
    const open = machine.query(
      'select entity_id as id from findings where resolved_at is null and "check" = ? order by 1',
      check,
    )
    const users = open.flatMap(({ id }) => world.users.get(String(id)) ?? []).filter(({ mfaStatus }) => !mfaStatus)
    if (users.length === 0) return
    const { userId } = prng.pick(users)
    const reason = 'Hardware token ordered'
    const id = `waiver-${userId}`
    if (machine.waivers.some((waiver) => waiver.id === id)) return
    const terms = { id, check, entity: String(userId), tenant: 'acme', reason, owner: 'it' }
    machine.waivers = [...machine.waivers, { ...terms, expiresMs: wall.now + 30 * dayMs }]
    time.at(time.now + prng.between(11, 25) * minuteMs, () => {
      const before = world.users.get(userId)
      if (this.#isOver || before === null) return
      // Everything but who it is stays.
      const { firstName, lastName, email } = maker.user(world, time.now)
      const createdAt = time.now - prng.between(0, 10) * minuteMs
      const somebody = { ...before, firstName, lastName, email, createdAt, mfaStatus: false }
      world.putUser(somebody)
      oracle.idReused(somebody)
      this.#count('reused-ids')
    })
  }

  #skewServer(): void {
    const { prng, server } = this.#parts
    server.skewMs = prng.pick([0, 30 * secondMs, -200 * secondMs, 20 * minuteMs, -hourMs])
    this.#count('server-skew')
  }

  /** Everything is put right, and the daemon is up. */
  async end(): Promise<void> {
    const { wall, server, weather, machine } = this.#parts
    this.#isOver = true
    weather.clear()
    machine.ailing = null
    if (wall.offset !== 0) wall.jump(-wall.offset)
    server.skewMs = 0
    if (!machine.isUp) await machine.start()
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
}
