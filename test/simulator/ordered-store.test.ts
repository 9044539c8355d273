import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareKeys, type LazyBase, OrderedStore } from '../../src/simulator/ordered-store.ts'
import { SortedNumbers } from '../../src/simulator/sorted-numbers.ts'

interface Item {
  readonly id: number
  readonly sort: number
  readonly version: number
}

const keyOf = ({ id, sort }: Item) => ({ id, sort })

/** Two neighbours share a sort value, as users created at one time do. */
function base(size: number): LazyBase<Item> {
  const item = (index: number): Item => ({ id: index * 2, sort: Math.floor(index / 2) * 10, version: 0 })
  return {
    size,
    keyAt: (index) => keyOf(item(index)),
    recordAt: item,
    indexOf: (id) => (typeof id === 'number' && id % 2 === 0 && id / 2 < size && id >= 0 ? id / 2 : -1),
  }
}

const step = fc.record({
  kind: fc.constantFrom('add', 'replace', 'remove', 'removeWhere'),
  id: fc.integer({ min: 0, max: 60 }),
  sort: fc.integer({ min: -5, max: 120 }),
})

it('agrees with a plain sorted array after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), fc.array(step, { maxLength: 40 }), (size, steps) => {
      const store = new OrderedStore(base(size), keyOf)
      const model = new Map(
        Array.from({ length: size }, (_, index) => base(size).recordAt(index)).map((one) => [one.id, one]),
      )
      let version = 0
      for (const { kind, id, sort } of steps) {
        const item = { id, sort, version: ++version }
        if (kind === 'add') {
          store.add(item)
          model.set(id, item)
        } else if (kind === 'replace' && model.has(id)) {
          const kept = id % 3 === 0 ? { ...item, sort: model.get(id)?.sort ?? sort } : item
          store.replace(id, kept)
          model.set(id, kept)
        } else if (kind === 'remove') {
          expect(store.remove(id)).toBe(model.delete(id))
        } else if (kind === 'removeWhere') {
          const gone = store.removeWhere((one) => one.id % 10 === id % 10)
          for (const one of gone) expect(model.delete(one.id)).toBe(true)
          expect([...model.keys()].some((one) => one % 10 === id % 10)).toBe(false)
        }
      }
      const wanted = [...model.values()].sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
      expect([...store.after(null)]).toEqual(wanted)
      expect(store.size).toBe(wanted.length)
      expect(Array.from({ length: wanted.length }, (_, rank) => store.at(rank))).toEqual(wanted)
      expect(store.at(wanted.length)).toBeUndefined()
      for (const [rank, one] of wanted.entries()) {
        expect(store.get(one.id)).toEqual(one)
        expect([...store.after(keyOf(one))]).toEqual(wanted.slice(rank + 1))
      }
    }),
  )
})

it('counts and skips numbers of the set', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), fc.uniqueArray(fc.nat(40)), (one, many) => {
      const held = new SortedNumbers()
      for (const value of one) held.add(value)
      held.addAll(many)
      const all = new Set([...one, ...many])
      const absent = Array.from({ length: 60 }, (_, n) => n).filter((n) => !all.has(n))
      expect(held.size).toBe(all.size)
      for (let n = 0; n < 10; n++) expect(held.nthAbsent(n)).toBe(absent[n])
      for (let n = 0; n < 45; n++) {
        expect(held.has(n)).toBe(all.has(n))
        expect(held.countBelow(n)).toBe([...all].filter((value) => value < n).length)
      }
    }),
  )
})
