import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fieldsOf, lists, type Planted, plant } from './support/plant.ts'
import { openWorld, type World } from './support/world.ts'

type Fields = Readonly<Record<string, unknown>>

let world: World
let planted: readonly Planted[]

beforeAll(async () => {
  world = await openWorld({ simulator: { problems: false, sizes: { users: 150, documents: 5 } } })
  planted = plant(world.simulator)
  await world.run('sync')
})

afterAll(() => world[Symbol.asyncDispose]())

/** Strict texts that users choose: a digest keeps apart long ones, and those with half a surrogate pair. */
const chosen = new Set(['email', 'filename'])

/** The exported form of a value; undefined when it must be absent. */
function expected(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length <= 1024 && (value.isWellFormed() || !chosen.has(field))) return value.toWellFormed()
  const bytes = value.isWellFormed() ? value : Buffer.from(value, 'utf16le')
  const digest = createHash('sha256').update(bytes).digest('hex')
  const end = value.length > 1024 ? `…${value.slice(-200).toWellFormed()}` : ''
  const ending = chosen.has(field) ? ` (${value.length} characters, SHA-256 ${digest})${end}` : ''
  const cut = value.slice(0, 1023 - ending.length)
  const isHalved = /[\ud800-\udbff]$/.test(cut)
  return `${(isHalved ? cut.slice(0, -1) : cut).toWellFormed()}…${ending}`
}

it.each(lists)('exports %s as they were sent, or null, and leaves out quarantined records', async (resource) => {
  const [idField] = fieldsOf(resource)
  const { code, stdout } = await world.run('export', resource)
  expect(code).toBe(0)
  const exported = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields)
  const records = new Map(exported.map((record) => [record[idField], record]))
  let observed = 0
  let empty = 0
  for (const { field, name, value, record: sent } of planted.filter((one) => one.resource === resource)) {
    const record = records.get(sent[idField])
    if (record === undefined) continue
    const got = record[field]
    const asSent = isDeepStrictEqual(got, expected(field, value))
    if (!asSent) expect([field, name, got]).toEqual([field, name, null])
    if (asSent) observed++
    else empty++
    for (const other of fieldsOf(resource)) {
      if (other !== field && other !== 'roleId') expect(record[other]).toEqual(sent[other])
    }
  }
  expect(observed).toBeGreaterThan(100)
  expect(observed).toBeGreaterThan(empty)
})
