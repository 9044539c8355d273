import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { dayMs, hourMs } from '../../src/model/durations.ts'
import { startTime } from '../support/fake-clock.ts'
import { spoil, startScene } from './support/scene.ts'

const jumps: readonly (readonly [what: string, ms: number])[] = [
  ['C1 goes forward by a year', 365 * dayMs],
  ['C1 goes forward by an hour', hourMs],
  ['C2 goes back by an hour', -hourMs],
  ['C2 goes back by a year', -365 * dayMs],
  ['C8 is that of a machine without a battery', 60_000 - startTime],
]

it.each(jumps)(
  '%s: checks that compare times pass no more, no finding resolves, and it recovers by itself',
  async (_, ms) => {
    // The tenant's clock is right all the time.
    const world = { elapsed: () => 0 }
    const scene = await startScene({ clock: () => startTime + world.elapsed() })
    const { test } = scene
    world.elapsed = test.clock.monotonic
    spoil(scene)
    await scene.cycle()
    const before = { stored: await scene.stored(), findings: await scene.findings() }
    expect(Object.values(before.stored)).toEqual(expect.arrayContaining(['pass', 'fail']))
    test.clock.jump(ms)
    // A jump is seen without any answer. A server behind the local clock may be sending old answers.
    const isForward = ms > 0
    if (isForward || ms < -hourMs) expect(Object.values(await scene.shown())).not.toContain('pass')
    for (let cycle = 0; cycle < 2; cycle++) {
      const results = await scene.cycle()
      expect(results.map(({ reason }) => reason)).toEqual(Array(6).fill(null))
      const [stored, shown] = [await scene.stored(), await scene.shown()]
      for (const { id, timeBased } of checks) {
        if (timeBased) expect([id, stored[id], shown[id]]).not.toContain('pass')
        else {
          // By a later clock a role id was read too long ago, and the role name decides.
          const isByAge = id === 'user-least-privilege'
          const wanted = isForward && (isByAge || before.stored[id] !== 'fail') ? 'unknown' : before.stored[id]
          expect([id, stored[id], shown[id]]).toEqual([id, wanted, wanted])
        }
      }
      expect(await scene.findings()).toEqual(expect.arrayContaining([...before.findings]))
      test.clock.advance(hourMs)
    }
    test.clock.jump(-ms)
    for (let cycle = 0; cycle < 2; cycle++) {
      test.clock.advance(hourMs)
      await scene.cycle()
    }
    expect(await scene.stored()).toEqual(before.stored)
    expect(await scene.shown()).toEqual(before.stored)
    expect((await scene.findings()).toSorted()).toEqual(before.findings.toSorted())
    scene.assertManners()
  },
)
