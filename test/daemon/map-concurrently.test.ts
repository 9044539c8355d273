import { expect, it } from 'vitest'
import { mapConcurrently } from '../../src/daemon/map-concurrently.ts'

const workers = () => {
  const ends: (() => void)[] = []
  const begun: number[] = []
  const work = (item: number) => {
    begun.push(item)
    return new Promise<string>((resolve, reject) => {
      ends[item] = () => (item === 4 ? reject(new Error('four')) : resolve(`did ${item}`))
    })
  }
  return { begun, work, end: (item: number) => ends[item]?.() }
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('has at most so many items under way, and tells of all in their order', async () => {
  const { begun, work, end } = workers()
  const all = mapConcurrently([0, 1, 2, 3], 2, work)
  expect(begun).toEqual([0, 1])
  end(1)
  await turn()
  expect(begun).toEqual([0, 1, 2])
  end(2)
  end(0)
  await turn()
  expect(begun).toEqual([0, 1, 2, 3])
  end(3)
  expect(await all).toEqual(['did 0', 'did 1', 'did 2', 'did 3'])
})

it('begins nothing after a failure, and fails with it', async () => {
  const { begun, work, end } = workers()
  const all = mapConcurrently([3, 4, 5, 6], 2, work)
  end(4)
  await expect(all).rejects.toThrow('four')
  end(3)
  await turn()
  expect(begun).toEqual([3, 4])
})

it('has nothing to do for nothing', async () => {
  expect(await mapConcurrently([], 2, async () => 1)).toEqual([])
})
