import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { overRecords } from '../support/record-tables.ts'
import { anything } from './support/corpus.ts'
import { fieldsOf, lists, manyReadable, type Planted, plant } from './support/plant.ts'
import { openWorld, type Ran, type World } from './support/world.ts'

let world: World
let planted: readonly Planted[]
let first: Ran

beforeAll(async () => {
  world = await openWorld({ simulator: { problems: false, sizes: { users: manyReadable, documents: 20 } } })
  planted = plant(world.simulator)
  first = await world.run('sync')
})

afterAll(() => world[Symbol.asyncDispose]())

function query<T>(sql: string, ...values: unknown[]): T[] {
  const database = new BetterSqlite3(world.store, { readonly: true })
  try {
    return database.prepare(overRecords(sql)).all(...values) as T[]
  } finally {
    database.close()
  }
}

/** A record as text; `1e400`, which JSON reads as infinite, is kept as null. */
const kept = (record: unknown) =>
  JSON.stringify(JSON.parse(JSON.stringify(record)), (_, value) => (value === Infinity ? null : value))

const resultsOf = ({ stdout }: Ran) =>
  [...stdout.matchAll(/^acme +(\S+) +(incremental|full) +(\S+) +(\+\d+ ~\d+ -\d+)/gm)].map(
    ([, resource, , result, counts]) => [resource, result, counts],
  )

it('reads the whole corpus in every field of every resource without failing a page', () => {
  expect(planted).toHaveLength(Object.keys(anything).length * lists.flatMap(fieldsOf).length)
  expect(resultsOf(first).map(([resource, result]) => [resource, result])).toEqual(
    resourceNames.map((name) => [name, 'ok']),
  )
  expect(first.code).toBe(0)
})

it('keeps every planted record, live or in quarantine', () => {
  for (const resource of lists) {
    const [live] = query<{ n: number }>(
      `select count(*) as n from ${resource.replace('-', '_')} where removed_at is null`,
    )
    const [held] = query<{ n: number }>('select count(*) as n from quarantine where resource = ?', resource)
    const sent = new Set([...world.simulator.primary.resources[resource].all()].map((record) => kept(record))).size
    expect([resource, Number(live?.n) + Number(held?.n)]).toEqual([resource, sent])
    expect(held?.n).toBeGreaterThan(50)
  }
})

it('writes nothing at a second and a third identical full sync', async () => {
  // Results note that nobody evaluated for an hour.
  const counted = "select count(*) as n, max(id) as last from events where kind <> 'result'"
  const before = query(counted)
  for (const _ of [1, 2]) {
    world.pass(3_600_000)
    const again = await world.run('sync', '--full')
    expect(again.code).toBe(0)
    for (const result of resultsOf(again)) expect(result).toEqual([result[0], 'ok', '+0 ~0 -0'])
  }
  expect(query(counted)).toEqual(before)
})
