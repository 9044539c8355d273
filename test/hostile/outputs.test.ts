import { afterAll, beforeAll, expect, it } from 'vitest'
import { printable } from '../../src/model/text/printable.ts'
import { texts } from './support/corpus.ts'
import { manyReadable, plant } from './support/plant.ts'
import { actingIn, shownText, vocabulary } from './support/reading.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let calm: World

/** Records that open a finding of every check, with a hostile text in each field that the tenant controls. */
function offend({ simulator: { primary } }: World, names: readonly string[]): void {
  for (const text of names) {
    const { name: off, roleId } = primary.roles.add({ name: `${text} off`, state: 'Inactive' })
    const spoken = { firstName: text, lastName: text, email: text }
    primary.users.add({ mfaStatus: false, ...spoken, roleId, raw: { roleName: off } })
    primary.users.add({ state: 'Invited', mfaStatus: false, createdAt: '2025-01-01T00:00:00Z', raw: { email: text } })
    primary['api-clients'].add({ name: text, secretExpirationDate: '2026-02-01T00:00:00Z', raw: { roleName: text } })
    for (const uploadStatus of ['Completed', text]) {
      primary.documents.add({ filename: text, uploadStatus, createdAt: '2024-01-01T00:00:00Z', updatedAt: null })
    }
    primary['api-clients'].add({ raw: { roleName: off } })
    const code = `${text}_Create`
    primary.permissions.add({ code })
    const { name } = primary.roles.add({ name: `${text} again`, permissions: [code] })
    primary['api-clients'].add({ raw: { roleName: name } })
  }
}

async function opened(names: readonly string[]): Promise<World> {
  // While roles are in quarantine, only the id of an inactive role identifies it among roles of the same name.
  const more = 'userDetails: { perRun: 2000 }'
  const simulator = { problems: false, sizes: { users: manyReadable, documents: 5 } }
  const one = await openWorld({ more, simulator })
  if (names.length > 1) plant(one.simulator, { large: false })
  // Both have records that cannot be read: the page has a separate list of them.
  else one.simulator.primary.users.add({ raw: { createdAt: 'no date' } })
  offend(one, names)
  await one.run('sync')
  // A longer text is quarantined.
  const settings = { providerType: names.findLast(({ length }) => length <= 1024) ?? '', tenantName: names[0] ?? '' }
  one.simulator.primary['authentication-settings'].update(0, settings)
  one.pass(60_000)
  await one.run('sync', '--full')
  return one
}

beforeAll(async () => {
  calm = await opened(['harmless'])
  world = await opened(Object.values(texts))
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await calm[Symbol.asyncDispose]()
})

const commands: readonly (readonly string[])[] = [
  ['findings'],
  ['findings', '--all'],
  ['findings', '--format', 'json'],
  ['findings', '--format', 'ndjson', '--all'],
  ['findings', '--format', 'ocsf', '--all'],
  ['history', '--details'],
  ['history', '--details', '--format', 'json'],
  ['report', '--details', '--format', 'json'],
  ['sync'],
  ['checks'],
  ['doctor'],
  ['doctor', '--format', 'json'],
  ['accept'],
  ['metrics'],
  ['config', 'print'],
  ['export', 'users'],
  ['export', 'documents', '--format', 'json'],
  ['export', 'roles'],
]

it.each(commands)('prints nothing that acts on a terminal: %s %s %s %s', async (...args) => {
  const { stdout, stderr } = await world.run(...args.filter((arg) => typeof arg === 'string'))
  expect(stdout.length).toBeGreaterThan(args[0] === 'accept' ? -1 : 100)
  expect(actingIn(stdout)).toBeNull()
  expect(actingIn(stderr)).toBeNull()
})

it('writes a report with no tag and no attribute that a harmless tenant would not bring about', async () => {
  const { stdout } = await world.run('report', '--details')
  const known = vocabulary((await calm.run('report', '--details')).stdout)
  expect(vocabulary(stdout).filter((word) => !known.includes(word))).toEqual([])
  expect(actingIn(stdout)).toBeNull()
  expect(actingIn(shownText(stdout))).toBeNull()
  expect(shownText(stdout)).toContain(printable(texts['right to left'] ?? ''))
})
