import { expect, it } from 'vitest'
import { readDataQuality } from '../../src/evaluate/data-quality.ts'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

async function blocked({ mirror, engine, clock, settings }: TestEngine) {
  const quality = await readDataQuality(mirror, { id: engine.tenantId, settings }, clock.now())
  return quality.resources.get('users')?.input.blocked
}

it.each(['incremental', 'full'] as const)(
  'a refused %s after the clock was set back is not older than the success before',
  async (mode) => {
    const test = await testEngine()
    await test.run('users', 'full')
    test.clock.advance(hourMs)
    expect(ending(await test.run('users', 'incremental'))).toBe('success')
    test.clock.jump(-50 * minuteMs)
    expect(await blocked(test)).toBe(null)
    test.sim.revokeToken('reader')
    expect(ending(await test.run('users', mode))).toBe('unauthorized')
    expect(await blocked(test)).toBe('unauthorized')
  },
)
