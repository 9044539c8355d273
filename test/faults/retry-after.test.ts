import { expect, it } from 'vitest'
import { dayMs, hourMs, secondMs } from '../../src/model/durations.ts'
import { resourceAt, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

const day = 'Sun, 01 Mar 2026'

const stated: readonly (readonly [header: string, leastMs: number, date: string])[] = [
  ['1', secondMs, ''],
  ['29.5', 29.5 * secondMs, ''],
  ['30', 30 * secondMs, ''],
  ['31', 31 * secondMs, ''],
  ['3600', hourMs, ''],
  ['7200', 2 * hourMs, ''],
  ['86400', dayMs, ''],
  ['99999999999', dayMs, ''],
  ['9'.repeat(400), dayMs, ''],
  [`${day} 12:00:45 GMT`, 45 * secondMs, `${day} 12:00:00 GMT`],
  [`${day} 09:00:10 GMT`, 10 * secondMs, `${day} 09:00:00 GMT`],
  ['Fri, 31 Dec 9999 23:59:59 GMT', dayMs, ''],
  ['Sun, 01 Mar 2020 12:00:00 GMT', 0, ''],
  ['-5', 0, ''],
  ['NaN', 0, ''],
  ['Infinity', 0, ''],
  ['1e9', 0, ''],
  ['soon', 0, ''],
  ['', 0, ''],
]

const cases = [429, 503].flatMap((status) => stated.map((one) => [status, ...one] as const))

it.each(cases)(
  '%i with Retry-After %j is never undercut, nor is a day exceeded',
  async (status, header, leastMs, date) => {
    const { test, server, assertManners } = await startScene()
    const { clock } = test
    const asked: number[] = []
    server.choose = ({ path }) => {
      if (resourceAt(path) === undefined) return undefined
      asked.push(clock.monotonic())
      const headers = { 'retry-after': header, ...(date === '' ? {} : { date }) }
      return asked.length === 1 ? wire.answer(status, '', headers) : undefined
    }
    const first = await test.run('documents', 'full')
    if (leastMs > 30 * secondMs) {
      expect([first.reason, first.retryAt]).toEqual(['rate_limited', clock.now() + leastMs])
      clock.advance(leastMs - 30 * secondMs - 1)
      for (const resource of test.engine.resources) expect((await test.run(resource)).reason).toBe('rate_limited')
      expect(asked).toHaveLength(1)
      clock.advance(1)
      expect((await test.run('documents', 'full')).outcome).toBe('success')
    } else expect(first.outcome).toBe('success')
    const [began = 0, next = 0] = asked
    expect(next - began).toBeGreaterThanOrEqual(leastMs)
    expect(next - began).toBeLessThanOrEqual(dayMs)
    assertManners()
  },
)
