import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { printable } from '../../src/model/text/printable.ts'
import { parseCsv } from '../commands/support/csv.ts'
import { texts } from './support/corpus.ts'
import { manyReadable, plant } from './support/plant.ts'
import { acting, actingIn, formula, shownText, vocabulary } from './support/reading.ts'
import { openWorld, type World } from './support/world.ts'

interface Finding {
  readonly check: string
  readonly entity: { readonly type: string; readonly id: string }
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
}

let world: World
let calm: World
let log: string

/** Records that open a finding of every check, with a hostile text in each field that the tenant controls. */
function offend({ simulator: { primary } }: World, names: readonly string[]): void {
  for (const text of names) {
    const { name: off, roleId } = primary.addRole({ name: `${text} off`, state: 'Inactive' })
    const spoken = { firstName: text, lastName: text, email: text }
    primary.addUser({ mfaStatus: false, ...spoken, roleId, raw: { roleName: off } })
    primary.addUser({ state: 'Invited', mfaStatus: false, createdAt: '2025-01-01T00:00:00Z', raw: { email: text } })
    primary.addApiClient({ name: text, secretExpirationDate: '2026-02-01T00:00:00Z', raw: { roleName: text } })
    for (const uploadStatus of ['Completed', text]) {
      primary.addDocument({ filename: text, uploadStatus, createdAt: '2024-01-01T00:00:00Z', updatedAt: null })
    }
    primary.addApiClient({ raw: { roleName: off } })
    const code = `${text}_Create`
    primary.addPermission({ code })
    const { name } = primary.addRole({ name: `${text} again`, permissions: [code] })
    primary.addApiClient({ raw: { roleName: name } })
  }
}

async function opened(names: readonly string[]): Promise<World> {
  // While roles are in quarantine, only the id of an inactive role identifies it among roles of the same name.
  const more = 'userDetails: { perRun: 2000 }'
  const simulator = { problems: false, sizes: { users: manyReadable, documents: 5 } }
  const one = await openWorld({ more, simulator })
  if (names.length > 1) plant(one.simulator, { large: false })
  // Both have records that cannot be read: the page has a separate list of them.
  else one.simulator.primary.addUser({ raw: { createdAt: 'no date' } })
  offend(one, names)
  log = (await one.run('sync')).stderr
  // A longer text is quarantined.
  const settings = { providerType: names.findLast(({ length }) => length <= 1024) ?? '', tenantName: names[0] ?? '' }
  one.simulator.primary.setSettings(settings)
  one.pass(60_000)
  log += (await one.run('sync', '--full')).stderr
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

it('spares a terminal the raw characters of CSV too, which a file is given as they are', async () => {
  let shown = ''
  const stdout = {
    isTTY: true,
    write(text: string) {
      shown += text
      return true
    },
  }
  await world.runWith({ stdout }, 'export', 'users', '--format', 'csv')
  expect(actingIn(shown.replaceAll('\r\n', '\n'))).toBeNull()
  expect(shown).toContain('\\u{1b}[2J')
  const { stdout: filed } = await world.run('export', 'users', '--format', 'csv')
  expect(filed).toContain(texts['clear screen'])
})

it('writes every event of the log on a line of its own, with every control character escaped', () => {
  const lines = log.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(20)
  for (const line of lines) {
    expect(acting.exec(line)?.[0]).toBeUndefined()
    expect(Object.keys(JSON.parse(line) as object).slice(0, 2)).toEqual(['level', 'time'])
  }
  // One line a run of each of the five lists names the fields that nobody described.
  expect(lines.filter((line) => line.includes('"unknown_field":[')).length).toBe(10)
})

async function findings(): Promise<readonly Finding[]> {
  return JSON.parse((await world.run('findings', '--format', 'json')).stdout) as Finding[]
}

it('finds failing records with any name, and prints the name as it was sent', async () => {
  const found = await findings()
  const checks = new Set(found.map(({ check }) => check))
  expect([...checks].sort()).toEqual([
    'api-client-least-privilege',
    'api-client-role-active',
    'api-client-secret-lifetime',
    'api-client-secret-not-expired',
    'auth-settings-unchanged',
    'document-current',
    'document-name-unique',
    'document-status-known',
    'user-invitation-accepted',
    'user-mfa-enrolled',
    'user-role-active',
  ])
  const doubled = new Set(found.filter(({ check }) => check === 'document-name-unique').map(({ entity }) => entity.id))
  for (const [name, text] of Object.entries(texts)) {
    if (text.length > 1024) continue
    const digest = createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex')
    const isShown = text.isWellFormed() ? doubled.has(text) : [...doubled].some((id) => String(id).includes(digest))
    expect([name, isShown]).toEqual([name, true])
  }
})

it('gives the same findings in every format, and no cell of CSV that begins a formula', async () => {
  const found = await findings()
  const { stdout } = await world.run('findings', '--format', 'ndjson')
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Finding),
  ).toEqual(found)
  const [heading = [], ...rows] = parseCsv((await world.run('findings', '--format', 'csv')).stdout)
  expect(rows).toHaveLength(found.length)
  const [id, evidence] = [heading.indexOf('entityId'), heading.indexOf('evidence')]
  rows.forEach((row, index) => {
    for (const cell of row) expect(cell).not.toMatch(formula)
    const entityId = found[index]?.entity.id ?? ''
    expect([entityId, `'${entityId}`]).toContain(row[id])
    expect(JSON.parse(row[evidence] ?? '')).toEqual(found[index]?.evidence)
  })
})

it('shows a page with no tag and no attribute that a harmless tenant would not bring about', async () => {
  await using hostile = await world.daemon()
  const page = await (await fetch(`${hostile.origin}/`)).text()
  await using harmless = await calm.daemon()
  const known = vocabulary(await (await fetch(`${harmless.origin}/`)).text())
  expect(vocabulary(page).filter((word) => !known.includes(word))).toEqual([])
  expect(actingIn(page)).toBeNull()
  expect(actingIn(shownText(page))).toBeNull()
  expect(shownText(page)).toContain(printable(texts['right to left'] ?? ''))
  for (const path of ['/api/v1/status', '/api/v1/checks', '/api/v1/findings?state=all']) {
    const body = await (await fetch(hostile.origin + path)).text()
    expect(JSON.parse(body)).toBeTypeOf('object')
    expect([path, actingIn(body)]).toEqual([path, null])
  }
  // The daemon continues meanwhile, and finds more as its time passes.
  await vi.waitFor(async () => {
    const observed = (await (await fetch(`${hostile.origin}/api/v1/findings`)).json()) as Finding[]
    expect(observed.map(({ entity }) => entity.id)).toEqual((await findings()).map(({ entity }) => entity.id))
  }, 60_000)
  for (const line of hostile.logged().trimEnd().split('\n')) expect(acting.test(line)).toBe(false)
})
