import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../src/simulator/index.ts'
import { brokenIn } from './disk/support/broken.ts'
import { type Place, program, type RunningDaemon, daemon as startDaemon, until, world } from './support/program.ts'

/** The promised limit (README.md#every-day). */
const promptMs = 5000

interface Scene {
  readonly simulator: Simulator
  readonly place: Place & { readonly store: string }
  readonly daemon: RunningDaemon
  readonly port: number
}

interface State {
  readonly what: string
  readonly simulator?: SimulatorOptions
  /** Further sections of the configuration. */
  readonly more?: string
  readonly before?: (scene: Omit<Scene, 'daemon' | 'port'>) => void | Promise<void>
  /** Brings the daemon into the state; resolves when it is there. */
  readonly reach: (scene: Scene) => Promise<unknown>
}

const often = `schedule: { roles: { full: "* * * * * *" }, users: { incremental: "* * * * * *", full: "* * * * * *" }, evaluate: "* * * * * *" }`
const ready = ({ daemon }: Scene) => until(async () => (await daemon.get('/readyz')).status === 200)
const asked = ({ simulator }: Pick<Scene, 'simulator'>, path: string) =>
  simulator.requests.waitFor((request) => request.path === path)

const states: readonly State[] = [
  { what: 'nothing', reach: ready },
  {
    what: 'a tenant that never answers',
    before: ({ simulator }) => void simulator.faults.add({ effect: { kind: 'hang' } }),
    reach: (scene) => asked(scene, '/api/public/users'),
  },
  {
    what: 'the wait for an hour that the tenant asks for',
    before: ({ simulator }) =>
      void simulator.faults.add({ effect: { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } }),
    reach: ({ daemon }) => until(() => daemon.stderr.includes('rate_limited')),
  },
  {
    what: 'full syncs and result of many users',
    simulator: { sizes: { users: 20_000 } },
    more: often,
    reach: async (scene) => {
      await until(async () => / 20000$/m.test((await scene.daemon.get('/metrics')).text))
      const before = scene.simulator.requests.count()
      await until(() => scene.simulator.requests.count() > before + 5)
    },
  },
  {
    what: 'a reload whose tenant does not answer',
    before: ({ simulator }) => void simulator.faults.add({ effect: { kind: 'hang' } }),
    reach: async (scene) => {
      await asked(scene, '/api/public/users')
      const file = join(scene.place.folder, 'tenantwatch.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('limit, ', 'limit, maxPages: 7, '))
      scene.daemon.child.kill('SIGHUP')
      scene.daemon.child.kill('SIGHUP')
    },
  },
  {
    what: 'a database that another program holds',
    more: often,
    reach: async (scene) => {
      await ready(scene)
      const other = new BetterSqlite3(scene.place.store)
      onTestFinished(() => void other.close())
      other.exec('begin immediate')
      await until(() => scene.daemon.stderr.includes('"reason":"store"'))
    },
  },
]

async function sceneOf({ simulator: options, more, before }: State): Promise<Scene> {
  const { simulator, place } = await world(options, more)
  await before?.({ simulator, place })
  const daemon = await startDaemon(place)
  const port = Number(/"port":(\d+)/.exec(daemon.stderr)?.[1])
  return { simulator, place, daemon, port }
}

it('ends with 0 on a SIGTERM that comes while it starts', async () => {
  const { place } = await world()
  const run = program(place, 'run')
  await until(() => run.stderr.includes('"msg":"Starting"'))
  const asked = performance.now()
  run.child.kill('SIGTERM')
  expect(await run.ended).toMatchObject({ code: 0, signal: null })
  expect(performance.now() - asked).toBeLessThan(promptMs)
})

it.each(states)('ends with 0 within 5 seconds of SIGTERM in the midst of $what, and loses nothing', async (state) => {
  const scene = await sceneOf(state)
  await state.reach(scene)
  const { daemon, simulator, place } = scene
  const asked = performance.now()
  daemon.child.kill('SIGTERM')
  const { code, signal } = await daemon.ended
  const tookMs = performance.now() - asked
  console.info(`${state.what}: ${Math.round(tookMs)} ms`)
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  expect(tookMs).toBeLessThan(promptMs)
  expect(brokenIn(place.store)).toEqual([])
  simulator.faults.clear()
})
