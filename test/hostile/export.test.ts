import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { printableJson } from '../../src/model/text/printable.ts'
import { parseCsv } from '../commands/support/csv.ts'
import { fieldsOf, type ListName, lists, type Planted, plant } from './support/plant.ts'
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

async function exported(resource: ListName, format: string): Promise<string> {
  const { code, stdout } = await world.run('export', resource, '--format', format)
  expect(code).toBe(0)
  return stdout
}

const linesOf = (text: string) => text.trimEnd().split('\n')

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
  const records = new Map(
    linesOf(await exported(resource, 'ndjson')).map((line) => {
      const record = JSON.parse(line) as Fields
      return [record[idField], record]
    }),
  )
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

it.each(lists)('exports %s alike in every format', async (resource) => {
  const lines = linesOf(await exported(resource, 'ndjson'))
  const records = lines.map((line) => JSON.parse(line) as Fields)
  expect(JSON.parse(await exported(resource, 'json'))).toEqual(records)
  const [heading = [], ...rows] = parseCsv(await exported(resource, 'csv'))
  expect(heading).toEqual(fieldsOf(resource))
  expect(rows).toHaveLength(records.length)
  rows.forEach((row, index) => {
    const texts = heading.map((field) => cellOf(records[index]?.[field]))
    expect(row.map((cell, i) => (cell === `'${texts[i]}` ? texts[i] : cell))).toEqual(texts)
  })
  // A negative number is no formula.
  for (const cell of rows.flat()) expect(cell).not.toMatch(/^([=+@\t\r]|-(?!\d+$))/)
  expect(rows.flat().some((cell) => cell.startsWith("'="))).toBe(true)
})

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? printableJson(value) : String(value)
}
