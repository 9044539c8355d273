import { constants, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceNames } from '../../src/model/resource-names.ts'
import type { ApiServer } from './api-server.ts'
import type { WorldState } from './api-world.ts'
import type { Programs } from './bundle.ts'
import { perform } from './child.ts'
import { taken } from './engine.ts'
import type { Cost } from './measure.ts'
import type { BenchOptions } from './options.ts'
import { writeConfig } from './place.ts'
import type { EngineReport, EngineStep, EngineTask, FeedFloorTask, Report } from './reports.ts'

/** A mirror that was synced in full once. */
interface FullySynced {
  readonly store: string
  /** What the users' full sync took. */
  readonly full: Cost
}

/** Databases of one run of the benchmarks; all of them are deleted in the end. */
export interface Stores extends Disposable {
  readonly folder: string
  /** The product's schema as SQL. */
  readonly schema: string
  /** A path where no database is yet. */
  fresh(): string
  /** Runs the work on a database of its own: a copy, or a new one; gone afterwards. */
  on<T>(original: string | null, use: (store: string) => Promise<T>): Promise<T>
  /** The product's mirror of the big tenant in this state, synced in full but not evaluated; made once, never to be written. */
  fullySynced(state: WorldState): Promise<FullySynced>
  /** The same, and evaluated. */
  evaluated(state: WorldState): Promise<string>
  /** The floor's database of the users of the big tenant in this state; made once, never to be written. */
  raw(state: WorldState): Promise<string>
  /** The product's mirror of this many small tenants, synced in full and evaluated; made once, never to be written. */
  small(tenants: number): Promise<string>
}

export function createStores(server: ApiServer, { path }: Programs, { flags, folder: parent }: BenchOptions): Stores {
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'tenantwatch-bench-'))
  const schema = schemaText()
  const made = new Map<string, Promise<unknown>>()
  let count = 0
  const fresh = () => join(folder, `${++count}.db`)
  const once = <T>(key: string, make: () => Promise<T>): Promise<T> => {
    const known = made.get(key) as Promise<T> | undefined
    const one = known ?? make()
    made.set(key, one)
    return one
  }
  const others = resourceNames.filter((name) => name !== 'users')
  const work = (store: string, steps: readonly EngineStep[], tenants = 0): Promise<EngineReport> => {
    const task: EngineTask = { config: writeConfig({ origin: server.origin, store, tenants }), steps }
    return perform<EngineReport>(path.engine, task, { flags })
  }
  const stores: Stores = {
    folder,
    schema,
    fresh,
    async on(original, use) {
      const store = fresh()
      if (original !== null) copyFileSync(original, store, constants.COPYFILE_FICLONE)
      try {
        return await use(store)
      } finally {
        remove(store)
      }
    },
    fullySynced: (state) =>
      once(`synced in full ${JSON.stringify(state)}`, async () => {
        await server.become(state)
        const store = fresh()
        const steps = [['users'], others].map((resources) => ({ do: 'full', resources }) as const)
        return { store, full: taken(await work(store, steps)) }
      }),
    evaluated: (state) =>
      once(`evaluated ${JSON.stringify(state)}`, async () => {
        const { store: original } = await stores.fullySynced(state)
        const store = fresh()
        copyFileSync(original, store)
        await work(store, [{ do: 'evaluate', times: 1 }])
        return store
      }),
    raw: (state) =>
      once(`raw ${JSON.stringify(state)}`, async () => {
        await server.become(state)
        const task: FeedFloorTask = { floor: 'upsert', origin: server.origin, store: fresh(), schema }
        await perform<Report>(path['floor-feed'], task)
        return task.store
      }),
    small: (tenants) =>
      once(`small ${tenants}`, async () => {
        const store = fresh()
        await work(
          store,
          [
            { do: 'full', resources: resourceNames },
            { do: 'evaluate', times: 1 },
          ],
          tenants,
        )
        return store
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
  return stores
}

/** Size of a database in bytes, as it lies on the disk once nobody has it open. */
export function sizeOf(store: string): number {
  return statSync(store).size
}

function remove(store: string): void {
  for (const suffix of ['', '-wal', '-shm', '-lock', '.yaml']) rmSync(store + suffix, { force: true })
}

function schemaText(): string {
  const migrations = join(import.meta.dirname, '../../drizzle')
  const files = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
  return files
    .sort()
    .map((name) => readFileSync(join(migrations, name), 'utf8'))
    .join('\n')
}
