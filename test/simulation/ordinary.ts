import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { secondMs } from '../../src/model/durations.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { engineSettings } from '../support/engine-settings.ts'
import { temporaryRoot } from '../support/temporary-root.ts'
import { WallClock } from './clocks.ts'
import { CursorBook } from './cursors.ts'
import { Ledger } from './ledger.ts'
import { Machine } from './machine.ts'
import { Network } from './network.ts'
import { createMaker, type Maker, populate, type Sizes } from './populate.ts'
import { createPrng } from './prng.ts'
import { chooseReadings } from './readings.ts'
import { createService } from './service.ts'
import { VirtualTime } from './virtual-time.ts'
import { Weather } from './weather.ts'
import { type World, worldResources } from './world.ts'

export interface OrdinaryLife {
  readonly seed: number
  readonly sizes: Sizes
  readonly steps: number
  /** Between two steps, in milliseconds: each full sync and each evaluation runs once in it. */
  readonly stepMs: number
  /** Actions of people at the beginning of a step, before its runs. */
  readonly change: (step: number, scene: Scene) => Promise<void> | void
}

export interface Scene {
  readonly time: VirtualTime
  readonly world: World
  readonly maker: Maker
  readonly machine: Machine
}

const start = Date.parse('2026-03-01T12:00:00Z')

/**
 * Runs a tenant's scripted life without any fault, with a daemon of slow rhythm. Returns a line for each
 * hold, for each check that is unknown after the second step, and for each fault of the product's own.
 */
export async function liveOrdinarily({ seed, sizes, steps, stepMs, change }: OrdinaryLife): Promise<readonly string[]> {
  const folder = mkdtempSync(join(temporaryRoot, 'tenantwatch-ordinary-'))
  const template = join(folder, 'template.db')
  await openMirror(template, 'engine')[Symbol.asyncDispose]()
  const prng = createPrng(seed)
  const time = new VirtualTime(start)
  const wall = new WallClock(time)
  const readings = chooseReadings(prng)
  const cursors = new CursorBook(readings)
  const maker = createMaker(prng, false)
  const world = populate(time, 'acme', sizes, prng, maker)
  const service = createService(readings, cursors)
  const alarms = new Set<string>()
  let step = 0
  const note = (what: string) => alarms.add(`step ${step}: ${what}`)
  const network: Network = new Network({
    ...{ time, wall, prng, service, cursors, readings, own: world, other: world },
    ledger: new Ledger(),
    weather: new Weather(time, prng),
    server: { skewMs: 0 },
    readInFullAt: () => 0,
    bornAt: () => machine.bornAt,
  })
  const rhythm = { expression: '* * * * *', intervalMs: stepMs }
  const schedule = Object.fromEntries(
    worldResources.map((name) => {
      const isFeed = name === 'users' || name === 'documents'
      return [name, { incremental: isFeed ? rhythm : null, full: rhythm }]
    }),
  )
  const machine: Machine = new Machine(
    {
      ...{ time, wall, prng, network, folder, evaluateMs: stepMs, bug: note, logged: () => {} },
      settings: engineSettings('https://tenant.test', { resources: schedule }),
      attend: async (evaluator) => void (await evaluator()),
      runEnded: () => {},
    },
    template,
  )
  try {
    await machine.start()
    for (step = 0; step < steps; step++) {
      await change(step, { time, world, maker, machine })
      await time.runUntil(start + (step + 1) * stepMs + 60 * secondMs)
      for (const { resource, reason } of machine.query('select resource, reason from holds')) {
        note(`${resource} is held as ${reason}`)
      }
      if (step < 2) continue
      for (const { check, status, reason } of (await machine.posture()).checks) {
        // A rename between two reads leaves it open what was meant, for as long as one interval.
        if (status === 'unknown' && reason !== 'ambiguous') note(`${check} is unknown (${reason})`)
      }
    }
    return [...alarms]
  } finally {
    await machine.dispose()
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
