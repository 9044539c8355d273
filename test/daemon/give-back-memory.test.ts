import { expect, it } from 'vitest'
import { giveBackMemory } from '../../src/daemon/idle-memory.ts'

const mib = 2 ** 20

it('releases unreachable memory, and does not expose the collector', () => {
  const kept = new WeakRef(Array.from({ length: 100_000 }, (_, index) => ({ index })))
  // A reference lives to the end of the turn in which it was looked at, so it is looked at afterwards only.
  expect(giveBackMemory(20 * mib)).toBe(true)
  expect(Reflect.get(globalThis, 'gc')).toBeUndefined()
  return new Promise<void>((resolve) => {
    setImmediate(() => {
      giveBackMemory(20 * mib)
      expect(kept.deref()).toBeUndefined()
      resolve()
    })
  })
})

it('leaves a large process alone, where it would hold up scrapes', () => {
  const before = process.memoryUsage().heapTotal
  expect(giveBackMemory(145 * mib)).toBe(false)
  expect(process.memoryUsage().heapTotal).toBeGreaterThanOrEqual(before - mib)
})
