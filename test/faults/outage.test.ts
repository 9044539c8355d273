import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { type Scene, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

/** Runs the schedule of an hour, and returns the number of runs. */
async function anHour({ test }: Scene): Promise<number> {
  const { clock, engine, settings } = test
  const start = clock.monotonic()
  let runs = 0
  for (let at = 0; at < hourMs; at += minuteMs) {
    clock.advance(Math.max(0, start + at - clock.monotonic()))
    for (const resource of resourceNames) {
      const { incremental, full } = settings.resources[resource]
      for (const [mode, rhythm] of [['incremental', incremental] as const, ['full', full] as const]) {
        if (rhythm === null || at % rhythm.intervalMs !== 0) continue
        runs++
        const { retryAt } = await engine.run(resource, mode, new AbortController().signal)
        if (retryAt !== null && retryAt < clock.now() + minuteMs) {
          runs++
          clock.advance(retryAt - clock.now())
          await engine.run(resource, mode, new AbortController().signal)
        }
      }
    }
  }
  clock.advance(Math.max(0, start + hourMs - clock.monotonic()))
  return runs
}

/** Connections that undici began, refused ones too. */
function attempts(): () => number {
  let count = 0
  const note = () => void count++
  subscribe('undici:client:beforeConnect', note)
  onTestFinished(() => void unsubscribe('undici:client:beforeConnect', note))
  return () => count
}

type Die = (scene: Scene) => unknown

const every =
  (fault: ReturnType<typeof wire.answer>): Die =>
  ({ server }) => {
    server.choose = () => fault
  }

const deaths: readonly (readonly [what: string, die: Die])[] = [
  ['refuses connections', ({ server }) => server.down()],
  [
    'takes requests and never answers',
    async (scene) => {
      await scene.test.restart({ api: { timeoutMs: 40 } })
      every(wire.silence)(scene)
    },
  ],
  ['answers 500', every(wire.problem(500, 'INTERNAL_ERROR'))],
  ['answers 429 and asks for two minutes', every(wire.answer(429, '', { 'retry-after': '120' }))],
  ['answers 401', every(wire.problem(401, 'UNAUTHORIZED'))],
  ['resets in mid body', every(wire.resetInBody)],
]

/** Requests, or connections where none is open, in the hour after the fault. */
async function cost(scene: Scene, connections: () => number, hour: () => Promise<unknown>): Promise<number> {
  const [asked, connected] = [scene.server.requests.length, connections()]
  await hour()
  return Math.max(scene.server.requests.length - asked, connections() - connected)
}

it.each(deaths)(
  'a tenant that %s costs at most 1.2 times the requests of a good hour, and no retries later',
  async (_what, die) => {
    // Details as in the default configuration, of a tenant so small that retries weigh the most.
    const scene = await startScene({ settings: { userDetails: { perRun: 200 } } })
    const connections = attempts()
    await scene.cycle()
    const planned = await cost(
      scene,
      () => 0,
      () => anHour(scene),
    )
    await die(scene)
    let runs = 0
    const hour = async () => {
      runs = await anHour(scene)
    }
    const dead = await cost(scene, connections, hour)
    expect(dead).toBeLessThanOrEqual(1.2 * planned)
    expect(dead, 'the bucket of retries on top of one request a run').toBeLessThanOrEqual(runs + 22)
    const later = await cost(scene, connections, hour)
    expect(later, 'requests of the second hour').toBeLessThanOrEqual(runs)
    scene.assertManners()
  },
)

it.each(['users', 'roles'] as const)(
  'a tenant whose %s alone are out of order costs at most 1.2 times the requests of good hours, and the bucket once',
  async (resource) => {
    const scene = await startScene({ settings: { userDetails: { perRun: 200 } } })
    const connections = () => 0
    const hour = () => anHour(scene)
    await scene.cycle()
    await cost(scene, connections, hour)
    const planned = await cost(scene, connections, hour)
    const fault = wire.problem(500, 'INTERNAL_ERROR')
    scene.server.choose = ({ path }) => (path.startsWith(`/api/public/${resource}`) ? fault : undefined)
    const costs: number[] = []
    for (let hours = 0; hours < 4; hours++) costs.push(await cost(scene, connections, hour))
    expect(costs.reduce((sum, requests) => sum + requests)).toBeLessThanOrEqual(1.2 * planned * costs.length + 20)
    scene.assertManners()
  },
)
