import { createHash } from 'node:crypto'
import type { TenantSettings } from '../../src/config/settings.ts'
import { hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { Calamity } from './calamity.ts'
import { WallClock } from './clocks.ts'
import { CursorBook } from './cursors.ts'
import { Ledger } from './ledger.ts'
import { createLife } from './life.ts'
import { Machine } from './machine.ts'
import { chooseSettings } from './machine-settings.ts'
import { Network } from './network.ts'
import { type Evaluated, Oracle } from './oracle.ts'
import { chooseSizes, createMaker, populate, populateOther } from './populate.ts'
import { createKeyedPrng, createPrng } from './prng.ts'
import { chooseReadings } from './readings.ts'
import { checkRecovery } from './recovery.ts'
import { createService } from './service.ts'
import type { Violation } from './tally.ts'
import { VirtualTime } from './virtual-time.ts'
import { Weather } from './weather.ts'

export interface SimulationOptions {
  readonly seed: number
  /** Number of evaluations before the recovery. */
  readonly steps: number
  /** False: nothing but the tenant's own life happens, and `unknown` is counted after the warm-up. */
  readonly faults: boolean
  /** The one fault there is; absent for all. */
  readonly only?: string
  /** Hours between two evaluations, by which every rhythm stretches; absent for ten minutes. */
  readonly hours?: number
  /** True: the life is the same however many operations of the store, draws and requests there are. */
  readonly steady?: boolean
  /** Sees the machine after each step in which it is up, and once more after the recovery. */
  readonly look?: (view: LifeView) => Promise<void>
  /** Folder of this life's own. */
  readonly folder: string
  /** An empty mirror, to be copied. */
  readonly template: string
}

export interface LifeView {
  readonly step: number
  /** When the faults ended and the recovery began; null before. */
  readonly recoversSince: number | null
  readonly machine: Machine
  readonly settings: TenantSettings
  /** Wall time. */
  readonly now: number
}

export interface SimulationReport {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly evaluated: Evaluated
  readonly faults: ReadonlyMap<string, number>
  /** Digest of everything that happened: two lives of one seed have the same. */
  readonly trace: string
}

/** Faults of the pages after the first. */
const pagedFaults: ReadonlySet<string> = new Set(['boundary-shift', 'double-ids', 'empty-clients', 'empty-later-pages'])
const start = Date.parse('2026-03-01T12:00:00Z')
/** Between two evaluations, and between two looks of the oracle, at the usual pace. */
const shortStepMs = 10 * minuteMs
const warmUpSteps = 8
/** Users of a tenant whose life is long. */
const shapes = [1, 3, 40, 1000]

/** Runs one simulated life of daemon and tenant by its seed, and returns the oracle's report. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, steps, faults, only = null, folder, template, steady = false } = options
  const stepMs = options.hours === undefined ? shortStepMs : options.hours * hourMs
  const pace = stepMs / shortStepMs
  const prng = steady ? createKeyedPrng(seed) : createPrng(seed)
  const time = new VirtualTime(start)
  const wall = new WallClock(time)
  const shape = options.hours === undefined ? null : shapes[seed % shapes.length]
  const readings = chooseReadings(prng, pagedFaults.has(only ?? '') ? [3] : shape === 1000 ? [50, 200] : undefined)
  const settings = chooseSettings(prng, pace)
  const cursors = new CursorBook(readings)
  const maker = createMaker(prng, false)
  const sizes = chooseSizes(prng, faults && only !== 'bleeding-list')
  const own = populate(time, 'acme', shape == null ? sizes : { ...sizes, users: shape }, prng, maker)
  const other = populateOther(own, prng)
  const ledger = new Ledger()
  const weather = new Weather(time, prng.stream('weather'), only)
  const server = { skewMs: 0 }
  const trace = createHash('sha256')
  const network: Network = new Network({
    ...{ time, wall, prng, weather, service: createService(readings, cursors), cursors, readings, ledger, own, other },
    server,
    readInFullAt: (resource) => oracle.fullSyncs.latest(resource),
    bornAt: () => machine.bornAt,
  })
  const machine: Machine = new Machine(
    {
      ...{ time, wall, prng, network, settings, folder, evaluateMs: stepMs, instantStore: steady },
      attend: (evaluator) => oracle.attend(evaluator),
      runEnded(result) {
        const { resource, mode, outcome, reason, counts, pages } = result
        trace.update(JSON.stringify([time.now, resource, mode, outcome, reason, counts, pages]))
        oracle.runEnded(result)
        if (reason === 'internal' || reason === 'store') {
          oracle.report('own_fault', `A run of ${resource} ended as ${reason}: ${result.message}`)
        }
      },
      bug: (message) => oracle.report('own_fault', message),
      logged: (line) => oracle.logged(line),
    },
    template,
  )
  const oracle: Oracle = new Oracle({ world: own, wall, ledger, cursors, readings, machine, settings })
  const settingsKnown = () => machine.query('select 1 from authentication_settings').length > 0
  const life = createLife(
    { time, world: own, prng: prng.stream('life'), maker, readings, rough: faults, pace, settingsKnown },
    faults ? prng.between(6, 40) : prng.between(2, 24),
  )
  const calamity = new Calamity({
    ...{ time, wall, weather, machine, oracle, ledger, server, world: own, maker },
    prng: prng.stream('calamity'),
  })
  await machine.start()
  for (let step = 0; step < steps; step++) {
    if (faults) {
      weather.forecast(stepMs, oracle.fullSyncs.allFullSynced)
      await calamity.pass(stepMs)
    }
    life.step(stepMs)
    await time.runUntil(start + (step + 1) * stepMs + 20 * pace * secondMs)
    oracle.seeksSecrets ||= weather.has('secret-fields')
    if (!machine.isUp) continue
    const posture = await oracle.observe(step, !faults && step >= warmUpSteps)
    trace.update(JSON.stringify(posture))
    await options.look?.({ step, recoversSince: null, machine, settings, now: wall.now })
    if (faults) continue
    for (const { resource, reason, message } of await machine.mirror.holds())
      oracle.report('needless_hold', `${resource} ${reason}: ${message}`)
  }
  life.stop()
  await calamity.end()
  // Where each full page announces another one, exactly full pages confirm no removal of a document until the next upload.
  const isFull = () => {
    const documents = own.documents.live()
    const updated = documents.filter(({ updatedAt }) => updatedAt !== null)
    return [documents, updated].some(({ length }) => length > 0 && length % readings.pageSize.documents === 0)
  }
  const mostUploads = readings.hasMoreWhenFull ? 3 : 0
  for (let n = 0; n < mostUploads && isFull(); n++)
    own.putDocument({ ...maker.document(own, time.now), updatedAt: time.now })
  const recoversSince = time.now
  await checkRecovery({
    ...{ time, world: own, wall, machine, oracle, ledger },
    service: createService(readings, cursors),
    step: steps,
  })
  await options.look?.({ step: steps, recoversSince, machine, settings, now: wall.now })
  await machine.dispose()
  time.end()
  return {
    seed,
    violations: oracle.violations,
    evaluated: oracle.evaluated,
    faults: new Map([...weather.counts, ...calamity.counts]),
    trace: trace.digest('hex').slice(0, 16),
  }
}
