import { expect, it } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import type { FaultEffect } from '../../src/simulator/faults.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'

/** Runs the schedule of an hour, and returns the numbers of runs and of requests. */
async function anHour(test: TestEngine): Promise<{ readonly runs: number; readonly requests: number }> {
  const { clock, settings, sim } = test
  const [start, before] = [clock.monotonic(), sim.requests.count()]
  let runs = 0
  for (let at = 0; at < hourMs; at += minuteMs) {
    clock.advance(Math.max(0, start + at - clock.monotonic()))
    for (const resource of resourceNames) {
      const { incremental, full } = settings.resources[resource]
      for (const [mode, rhythm] of [['incremental', incremental] as const, ['full', full] as const]) {
        if (rhythm === null || at % rhythm.intervalMs !== 0) continue
        runs++
        const { retryAt } = await test.run(resource, mode)
        if (retryAt !== null && retryAt < clock.now() + minuteMs) {
          runs++
          clock.advance(retryAt - clock.now())
          await test.run(resource, mode)
        }
      }
    }
  }
  clock.advance(Math.max(0, start + hourMs - clock.monotonic()))
  return { runs, requests: sim.requests.count() - before }
}

const deaths: readonly (readonly [what: string, path: string, effect: FaultEffect])[] = [
  ['answers 500', '*', { kind: 'status', status: 500 }],
  ['answers 429 and asks for two minutes', '*', { kind: 'status', status: 429, headers: { 'retry-after': '120' } }],
  ['answers 401', '*', { kind: 'status', status: 401 }],
  ['resets in mid body', '*', { kind: 'reset', when: 'mid' }],
  ['answers 500 for roles alone', '/api/public/roles', { kind: 'status', status: 500 }],
]

it.each(deaths)(
  'a tenant that %s costs at most 1.2 times the requests of a good hour, and no retries later',
  async (_what, path, effect) => {
    // A tenant so small that retries weigh the most.
    const sizes = { users: 20, documents: 20, apiClients: 15 }
    const readings = { defaultPageSize: { users: 15, documents: 15, apiClients: 15 } }
    const test = await testEngine({ problems: false, sizes, readings })
    await test.runAll('full')
    const planned = await anHour(test)
    test.sim.faults.add({ path, effect })
    const [dead, later] = [await anHour(test), await anHour(test)]
    expect(dead.requests).toBeLessThanOrEqual(1.2 * planned.requests)
    if (path === '*') {
      expect(dead.requests, 'the bucket of retries on top of one request a run').toBeLessThanOrEqual(dead.runs + 22)
      expect(later.requests, 'requests of the second hour').toBeLessThanOrEqual(later.runs)
    } else expect(later.requests).toBeLessThanOrEqual(1.2 * planned.requests)
    expect(test.sim.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(test.sim.violations).toEqual([])
  },
)
