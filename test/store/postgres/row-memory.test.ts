import { expect, it } from 'vitest'
import { RowMemory } from '../../../src/store/postgres/row-memory.ts'
import type { Ask, Step, Steps } from '../../../src/store/steps.ts'

/** A database of numbered statements, and a memory of what was read of it. */
function world() {
  const memory = new RowMemory()
  const rows = new Map<string, unknown>()
  let transactions = 0
  const ask = (name: string, ...params: readonly unknown[]): Ask => ({ statement: { name }, params, shape: 'all' })

  async function transaction<T>(body: () => Step<T>): Promise<T> {
    transactions++
    await Promise.resolve()
    const steps = body()[Symbol.iterator]()
    let next = steps.next()
    while (next.done !== true) {
      const { statement, params } = next.value as Ask
      next = steps.next(rows.get(`${(statement as { name: string }).name} ${params.join()}`) ?? [])
    }
    return next.value
  }
  function* both(tenant: number): Steps<string> {
    return `${yield ask('a', tenant)} ${yield ask('b')}`
  }
  return {
    memory,
    rows,
    read: (tenant = 1) => memory.read(() => both(tenant), transaction),
    transactions: () => transactions,
  }
}

it('reads once what was not written since, for each parameter', async () => {
  const { rows, read, transactions } = world()
  rows.set('a 1', [1]).set('a 2', [2]).set('b ', [3])
  expect([await read(), await read(), transactions()]).toEqual(['1 3', '1 3', 1])
  expect([await read(2), transactions()]).toEqual(['2 3', 2])
})

it('reads again after a write', async () => {
  const { memory, rows, read } = world()
  rows.set('a 1', [1])
  await read()
  await memory.write(async () => rows.set('a 1', [7]))
  expect(await read()).toBe('7 ')
})

it('does not keep what was read beside a write, which it may be older than', async () => {
  const { memory, rows, read, transactions } = world()
  const { promise, resolve } = Promise.withResolvers<void>()
  rows.set('a 1', [1])
  const writing = memory.write(() => promise)
  await read()
  const beside = read()
  resolve()
  await writing
  await beside
  rows.set('a 1', [7])
  expect([await read(), transactions()]).toEqual(['7 ', 3])
})

it('keeps nothing after a write of which it is not known whether it was stored, until another was', async () => {
  const { memory, read, transactions } = world()
  await expect(memory.write(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  await read()
  await read()
  expect(transactions()).toBe(2)
  await memory.write(async () => {})
  await read()
  await read()
  expect(transactions()).toBe(3)
})

it('keeps no long answers, and not too many', async () => {
  const { rows, read, transactions } = world()
  rows.set(
    'b ',
    Array.from({ length: 31 }, () => 0),
  )
  await read()
  await read()
  expect(transactions()).toBe(2)
  rows.set('b ', [])
  for (let tenant = 1; tenant <= 200; tenant++) await read(tenant)
  const before = transactions()
  await read(200)
  expect(transactions()).toBe(before)
  await read(1)
  expect(transactions()).toBe(before + 1)
})
