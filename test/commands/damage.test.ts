import { expect, it } from 'vitest'
import { openWorld } from '../hostile/support/world.ts'
import { damageIndex, enlarge } from '../support/large-mirror.ts'
import { withDatabase } from '../support/sqlite.ts'
import { synced } from './support/cli.ts'

function contentOf(path: string): unknown {
  const tables = ['users', 'findings', 'check_states', 'runs', 'sync_states', 'tenants']
  return withDatabase(path, (raw) => tables.map((table) => raw.prepare(`select * from ${table}`).all()))
}

const removeOneUser = (path: string) =>
  withDatabase(path, (raw) =>
    raw.exec(
      "update records set removed_at = 1 where rowid = (select min(rowid) from records where resource = 'users')",
    ),
  )

it.each(['small', 'large'])('shows nothing of a %s mirror that is damaged, by no command', async (size) => {
  const world = await synced()
  const { stdout } = await world.run('findings', '--format', 'json')
  const [{ fingerprint }] = JSON.parse(stdout)
  if (size === 'large') enlarge(world.store)
  else removeOneUser(world.store)
  damageIndex(world.store)
  const before = contentOf(world.store)
  const commands = [
    ['accept'],
    ['expiring'],
    ['explain', fingerprint],
    ['export', 'users'],
    ['findings'],
    ['history'],
    ['metrics'],
    ['purge', 'nobody'],
    ['report'],
    ['sync'],
  ]
  for (const command of commands) {
    const reported = await world.run(...command)
    expect([...command, reported]).toEqual([
      ...command,
      {
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(
          /^tenantwatch: The database .* is damaged \(.*records_problem.*\); restore a backup.*\n$/,
        ),
      },
    ])
  }
  expect(contentOf(world.store)).toEqual(before)
})

it('serves the content of a large damaged mirror until the damage is found, then exits', async () => {
  await using world = await openWorld()
  expect(await world.run('sync')).toMatchObject({ code: 0 })
  enlarge(world.store)
  damageIndex(world.store)
  const before = contentOf(world.store)
  await using daemon = await world.daemon()
  const answer = await fetch(`${daemon.origin}/metrics`)
  expect(answer.status).toBe(200)
  await expect(daemon.broken).rejects.toThrow(/is damaged/)
  expect(contentOf(world.store)).toEqual(before)
})
