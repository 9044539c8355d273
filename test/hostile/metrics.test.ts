import { afterAll, beforeAll, expect, it } from 'vitest'
import { idLabel, labelText } from '../../src/metrics/family.ts'
import { type ParsedSeries, parseExposition, seriesOf } from '../metrics/support/parse.ts'
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

beforeAll(async () => {
  world = await openWorld({ simulator: { problems: false, sizes: { users: 5, documents: 5 } } })
  plant(world.simulator, { large: false })
  for (const clientId of [...lookAlikes, ...invisible])
    world.simulator.primary['api-clients'].add({ raw: { clientId } })
  await world.run('sync')
  await using daemon = await world.daemon()
  text = await (await fetch(`${daemon.origin}/metrics`)).text()
})

afterAll(() => world[Symbol.asyncDispose]())

const identity = ({ name, labels }: ParsedSeries) => JSON.stringify([name, Object.entries(labels).sort()])

it('is read to the last line by a strict parser, with no series twice and no character that acts', () => {
  const series = parseExposition(text)
  expect(series.length).toBeGreaterThan(1000)
  expect(new Set(series.map(identity)).size).toBe(series.length)
  expect(actingIn(text)).toBeNull()
  const kinds = /^# (HELP|TYPE) [a-z0-9_]+ \S/
  for (const line of text.split('\n')) if (line.startsWith('#')) expect(line).toMatch(kinds)
})

it('carries each client once, with its name and role as labels that read back', async () => {
  const { stdout } = await world.run('export', 'api-clients')
  const clients = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, string | null>>)
  const infos = seriesOf(text, 'tenantwatch_api_client_info')
  expect(infos).toHaveLength(clients.length)
  const guid = /^[0-9a-f-]{36}$/i
  const wanted = clients.map(({ clientId, name, roleName }) => [
    guid.test(clientId ?? '') ? clientId?.toLowerCase() : idLabel(clientId ?? ''),
    labelText(name ?? ''),
    labelText(roleName ?? ''),
  ])
  const got = infos.map(({ labels }) => [labels['client_id'], labels['client_name'], labels['role']])
  expect(got.map(String).sort()).toEqual(wanted.map(String).sort())
})

it('distinguishes ids that differ in case or escapes, and exports no invisible id', () => {
  const ids = new Set(
    seriesOf(text, 'tenantwatch_api_client_secret_expiration_timestamp_seconds').map(
      ({ labels }) => labels['client_id'],
    ),
  )
  expect(new Set(lookAlikes.map(idLabel)).size).toBe(lookAlikes.length)
  for (const id of lookAlikes) expect([id, ids.has(idLabel(id))]).toEqual([id, true])
  for (const id of invisible) {
    expect([id, ids.has(idLabel(id)), ids.has(id), ids.has(labelText(id))]).toEqual([id, false, false, false])
  }
})
