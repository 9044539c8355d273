import { hourMs, minuteMs, secondMs } from '../../src/model/durations.ts'
import type { WallClock } from './clocks.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import type { Oracle } from './oracle.ts'
import type { Prng } from './prng.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { Weather } from './weather.ts'

export interface CalamityParts {
  readonly time: VirtualTime
  readonly wall: WallClock
  readonly prng: Prng
  readonly weather: Weather
  readonly machine: Machine
  readonly oracle: Oracle
  readonly ledger: Ledger
  readonly server: { skewMs: number }
}

/** What befalls the machine itself: the process is killed or stopped, the clocks jump. */
export class Calamity {
  readonly counts = new Map<string, number>()
  readonly #parts: CalamityParts
  #downUntil = 0

  constructor(parts: CalamityParts) {
    this.#parts = parts
  }

  /** Lets the calamities of the coming `ms` happen at instants of their own. */
  async pass(ms: number): Promise<void> {
    const { prng, time, machine } = this.#parts
    const ends = time.now + ms
    if (!machine.isUp && time.now >= this.#downUntil) await machine.start()
    if (prng.chance(0.06)) this.#jump()
    if (prng.chance(0.015)) this.#skewServer()
    machine.ailing = prng.chance(0.15) ? this.#checkWithFindings() : null
    if (machine.ailing !== null) this.#count('check-ailing')
    const deaths = prng.chance(0.2) ? prng.between(1, 3) : 0
    for (let i = 0; i < deaths && machine.isUp; i++) {
      const isAtWork = prng.chance(0.7)
      if (isAtWork) {
        const onlyCursors = prng.chance(0.5)
        machine.lightFuse(prng.between(0, onlyCursors ? 3 : 80), onlyCursors)
      }
      const until = isAtWork ? ends - secondMs : prng.between(time.now, ends - secondMs)
      await time.runUntil(Math.max(time.now, until), () => machine.isDying)
      await this.#die()
    }
  }

  async #die(): Promise<void> {
    const { prng, time, machine, ledger } = this.#parts
    if (!machine.isDying && prng.chance(0.4)) {
      machine.abort()
      await time.runUntil(time.now + prng.between(0, 500))
      machine.stop()
      this.#count('stop')
    } else {
      machine.crash()
      this.#count('crash')
    }
    ledger.waits.processEnded(time.now)
    if (prng.chance(0.15)) this.#downUntil = time.now + prng.between(1, 120) * minuteMs
    else await machine.start()
  }

  /** A check that has something to lose when it cannot judge; null when none has. */
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

  #skewServer(): void {
    const { prng, server, oracle, time } = this.#parts
    server.skewMs = prng.pick([0, 30 * secondMs, -200 * secondMs, 20 * minuteMs, -hourMs])
    oracle.serverSkewMs = server.skewMs
    oracle.serverSkewSince = time.now
    this.#count('server-skew')
  }

  /** Everything is put right, and the daemon is up. */
  async end(): Promise<void> {
    const { wall, server, weather, machine, oracle } = this.#parts
    weather.clear()
    machine.ailing = null
    if (wall.offset !== 0) wall.jump(-wall.offset)
    server.skewMs = 0
    oracle.serverSkewMs = 0
    if (!machine.isUp) await machine.start()
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
}
