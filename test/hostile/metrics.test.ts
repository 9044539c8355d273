import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ParsedSeries, parseExposition } from '../metrics/support/parse.ts'
import { plant } from './support/plant.ts'
import { actingIn } from './support/reading.ts'
import { openWorld, type World } from './support/world.ts'

/** Ids of clients that an output could take for one another. */
const lookAlikes = [
  'ABC-client',
  'abc-client',
  'abc\\u{2d}client',
  'abc"client',
  'abc\\"client',
  'abc\\\\client',
  'abc,client',
  'abc",x="client',
  'abc client',
  'abc\u00a0client',
  'caf\u00e9',
  'cafe\u0301',
  `${'i'.repeat(199)}a`,
  `${'i'.repeat(199)}b`,
]

/** Visually identical ids, which are therefore quarantined. */
const invisible = ['abc\u202eclient', 'abc\u200bclient', '\u200d'.repeat(199), '\u200d'.repeat(200), 'abc\u2028client']

let world: World
let text: string
let openMetrics: string

beforeAll(async () => {
  world = await openWorld({ simulator: { problems: false, sizes: { users: 5, documents: 5 } } })
  plant(world.simulator, { large: false })
  for (const clientId of [...lookAlikes, ...invisible]) world.simulator.primary.addApiClient({ raw: { clientId } })
  await world.run('sync')
  await using daemon = await world.daemon()
  text = await (await fetch(`${daemon.origin}/metrics`)).text()
  const headers = { accept: 'application/openmetrics-text; version=1.0.0' }
  openMetrics = await (await fetch(`${daemon.origin}/metrics`, { headers })).text()
})

afterAll(() => world[Symbol.asyncDispose]())

const identity = ({ name, labels }: ParsedSeries) => JSON.stringify([name, Object.entries(labels).sort()])

it('is read to the last line by a strict parser, with no series twice and no character that acts', () => {
  for (const body of [text, openMetrics.replace(/# EOF\n$/, '')]) {
    const series = parseExposition(body)
    expect(series.length).toBeGreaterThan(1000)
    expect(new Set(series.map(identity)).size).toBe(series.length)
    expect(actingIn(body)).toBeNull()
  }
  const kinds = /^# (HELP|TYPE) [a-z0-9_]+ \S/
  for (const line of text.split('\n')) if (line.startsWith('#')) expect(line).toMatch(kinds)
})

it('lets no address and no file name become a label', () => {
  const values = [...new Set(parseExposition(text).flatMap((series) => Object.values(series.labels)))]
  expect(values.filter((value) => /\.pdf|@primary\.example|Newcomer|Robin/.test(value))).toEqual([])
})
