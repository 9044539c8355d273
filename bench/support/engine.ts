import { join } from 'node:path'
import { perform } from './child.ts'
import { writeConfig } from './place.ts'
import type { EngineReport, EngineStep, EngineTask, FeedFloor, FeedFloorTask, Report } from './reports.ts'
import type { Bench, Subject, Taken } from './result.ts'

interface EngineOptions {
  /** Small tenants; 0 = the one big one. */
  readonly tenants?: number
  /** How often the big tenant is configured, each time under another name. */
  readonly sameTenants?: number
  /** Address of the PostgreSQL database that holds the mirror. */
  readonly url?: string
  /** Name of the CPU profile that is written when profiles are wanted. */
  readonly profile?: string
}

/** Runs steps of the product's engine on a database, in a process of its own. */
export function engine(
  { options, programs, server }: Bench,
  store: string,
  steps: readonly EngineStep[],
  { profile, ...place }: EngineOptions = {},
): Promise<EngineReport> {
  const config = writeConfig({ origin: server.origin, store, ...place })
  const profiling =
    options.profile === null || profile === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`, `--cpu-prof-name=${profile}.cpuprofile`]
  const task: EngineTask = { config, steps }
  return perform<EngineReport>(programs.path.engine, task, { flags: [...options.flags, ...profiling] })
}

/** One step of a report with the memory of the whole process. */
export function taken({ peakMiB, steps }: EngineReport, at = 0): Taken {
  const step = steps[at]
  if (step === undefined) throw new Error(`The engine reported no step ${at}`)
  return { ...step, peakMiB }
}

/** A subject that runs a full sync of the users with the product, on a copy of a database or a new one. */
export function fullSyncSubject(
  bench: Bench,
  name: string,
  original: string | null,
  more: EngineOptions & { readonly after?: (store: string) => Readonly<Record<string, number>> } = {},
): Subject {
  const step = { do: 'full', resources: ['users'] } as const
  return {
    name,
    run: () =>
      bench.stores.on(original, async (store) => {
        const one = taken(await engine(bench, store, [step], more))
        return { ...one, facts: { ...one.facts, ...more.after?.(store) } }
      }),
  }
}

/** A floor as a subject, on a copy of a database or a new one. */
export function floorSubject(
  { programs, server, stores }: Bench,
  floor: FeedFloor,
  original: string | null = null,
  after: (store: string) => Readonly<Record<string, number>> = () => ({}),
): Subject {
  return {
    name: floorNames[floor],
    run: () =>
      stores.on(original, async (store) => {
        const task: FeedFloorTask = { floor, origin: server.origin, store, schema: stores.schema }
        const report = await perform<Report>(programs.path['floor-feed'], task)
        return { ...report, facts: { ...report.facts, ...after(store) } }
      }),
  }
}

export const floorNames = {
  bytes: 'floor: bytes',
  parse: 'floor: bytes, JSON.parse',
  upsert: 'floor: bytes, JSON.parse, raw upsert',
  guarded: 'floor: bytes, JSON.parse, raw upsert of what differs',
} as const satisfies Readonly<Record<FeedFloor, string>>

export const product = 'tenantwatch'

/** Path of a scratch file of this run. */
export function scratch({ stores }: Bench, name: string): string {
  return join(stores.folder, name)
}
