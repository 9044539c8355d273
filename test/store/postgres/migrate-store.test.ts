import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { FindingView } from '../../../src/model/finding.ts'
import { resourceNames } from '../../../src/model/resource-names.ts'
import { copiedTables } from '../../../src/store/copy.ts'
import { aDay, type Ran } from '../../commands/support/cli.ts'
import { isOnServer } from '../../support/postgres.ts'
import { type Moving, movingWorld } from './support/moving-world.ts'

const onServer = it.runIf(isOnServer)

const views: readonly (readonly string[])[] = [
  ['findings', '--format', 'json', '--all'],
  ['history', '--format', 'json', '--details'],
  ['report', '--format', 'json', '--details'],
  ['report', '--format', 'json', '--as-of', '2026-03-02T18:00:00Z'],
  ['accept'],
  ['verify', '--format', 'json'],
  ['expiring', '--format', 'json'],
  ...resourceNames.flatMap((name) => ['acme', 'globex'].map((tenant) => ['export', name, '--tenant', tenant])),
]

/** Tables of what cannot be read from a tenant again. */
const worthMoving = ['event_chains', 'events', 'findings', 'holds', 'records', 'sync_states'] as const

type Run = Moving['run']

async function seenBy(run: Run): Promise<readonly Ran[]> {
  const seen: Ran[] = []
  for (const view of views) seen.push(await run(...view))
  return seen
}

const moved = async (world: Moving) => {
  const made = await world.migrate()
  expect(made).toMatchObject({ code: 0, stderr: '' })
  return made
}

onServer('shows the same from the database as from the file, which stays as it is', async () => {
  const world = await movingWorld()
  const bytes = readFileSync(world.store)
  const before = await seenBy(world.run)
  const { stdout } = await moved(world)
  for (const table of worthMoving) expect(stdout).toMatch(new RegExp(`^${table} +[1-9]\\d* +yes$`, 'm'))
  expect(before[0]?.stdout).toContain('"state":"resolved"')
  expect(stdout).toMatch(/^Copied \d+ rows from \S+mirror\.db to the database "test_\w+" at 127\.0\.0\.1:\d+$/m)
  expect(await seenBy(world.runThere)).toEqual(before)
  expect(world.wrongCounts()).toEqual([])
  expect(readFileSync(world.store).equals(bytes)).toBe(true)
})

/** The summary, without its times and without the progress that a sync of more than a second prints before it. */
const lines = ({ stdout }: Ran) => stdout.replaceAll(/^.*: (full|incremental) sync.* s.*\n| +\d+\.\d s$/gm, '')

async function syncs(world: Moving, run: Run): Promise<{ said: string; asked: readonly string[] }> {
  world.simulator.requests.clear()
  const ran = await run('sync')
  // Runs beside each other may ask for one proof of the tenant twice.
  const asked = new Set(world.simulator.requests.all().map(({ path, query }) => `${path} ${JSON.stringify(query)}`))
  return { said: lines(ran), asked: [...asked].toSorted() }
}

onServer('syncs on from the stored cursors with the requests that the file would have caused', async () => {
  const world = await movingWorld()
  await moved(world)
  const { postgres, simulator } = world
  const events = () => postgres.query('select count(*) as n, max(id) as id from events')
  const before = events()
  const there = await syncs(world, world.runThere)
  expect(there.said).toMatch(/acme +users +incremental +ok +\+0 ~0 -0 =0/)
  expect(there.asked.join('\n')).toContain('"cursor"')
  expect(events()).toEqual(before)
  const here = await syncs(world, world.run)
  expect(there).toEqual(here)
  // Changes from here on come to the same, with new records, findings, history and removals.
  const [gone, changed] = [...simulator.primary.users.all()].map(({ userId }) => userId)
  simulator.primary.users.remove(gone ?? 0)
  simulator.primary.users.update(changed ?? 0, { firstName: 'Later' })
  for (let n = 0; n < 150; n++) simulator.primary.users.add({ mfaStatus: false })
  world.pass(aDay)
  for (const run of [world.runThere, world.run])
    expect(await syncs(world, run)).toMatchObject({ said: expect.stringContaining('users') })

  const timeless = async (run: Run) =>
    (JSON.parse((await run('findings', '--format', 'json', '--all')).stdout) as FindingView[])
      .map(({ fingerprint, state, message }) => `${fingerprint} ${state} ${message}`)
      .toSorted()
  expect(await timeless(world.runThere)).toEqual(await timeless(world.run))
  expect(await world.runThere('export', 'users', '--tenant', 'acme')).toEqual(
    await world.run('export', 'users', '--tenant', 'acme'),
  )
  expect(world.wrongCounts()).toEqual([])
})

onServer('refuses a database that is not empty, and leaves it as it is', async () => {
  const world = await movingWorld()
  expect((await world.runThere('sync')).stdout).toContain('users')
  const before = world.postgres.query('select count(*) as n from events')
  const { code, stdout, stderr } = await world.migrate()
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toMatch(
    /^tenantwatch: The database of store\.url is not empty: its table \w+ has rows; set store\.url to an empty database, .*\n$/,
  )
  expect(world.postgres.query('select count(*) as n from events')).toEqual(before)
  expect(await world.runThere('findings')).toMatchObject({ code: 0 })
})

const isEmpty = (world: Moving) =>
  copiedTables.every(({ name }) => world.postgres.query(`select 1 from "${name}" limit 1`).length === 0)

onServer('stores nothing when the connection is lost, and copies everything when run again', async () => {
  const world = await movingWorld('current')
  world.postgres.query('create rule lose as on insert to records do also select pg_terminate_backend(pg_backend_pid())')
  const stderr = expect.stringMatching(/cannot be reached/)
  expect(await world.migrate()).toEqual({ code: 3, stdout: '', stderr })
  expect(isEmpty(world)).toBe(true)
  world.postgres.query('drop rule lose on records')
  // The lease of the first one, which may not have returned it, lapses after ten seconds.
  world.postgres.query('delete from replicas')
  world.postgres.query('delete from leases')
  await moved(world)
  expect(await seenBy(world.runThere)).toEqual(await seenBy(world.run))
})
