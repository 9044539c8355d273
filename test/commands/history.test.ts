import { expect, it } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { aDay, synced } from './support/cli.ts'

interface Change {
  readonly at: string
  readonly resource: string
  readonly entity: string
  readonly change: string
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string
}

async function changed() {
  const world = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  const { primary } = world.simulator
  const [user, gone] = [...world.simulator.primary.users.all()]
  primary.users.update(user?.userId ?? 0, { mfaStatus: user?.mfaStatus !== true, email: '=1+1@example.com' })
  world.pass(aDay)
  await world.run('sync', '--full')
  primary.users.remove(gone?.userId ?? 0)
  const added = primary.users.add({ firstName: 'Ann' })
  primary['authentication-settings'].update(0, { ssoEnforced: true })
  world.pass(aDay)
  await world.run('sync', '--full')
  const read = async (...args: string[]) =>
    JSON.parse((await world.run('history', '--format', 'json', ...args)).stdout) as readonly Change[]
  return { ...world, read, user: user?.userId ?? 0, gone: gone?.userId ?? 0, added: added.userId }
}

it('narrows by entity, resource and time', async () => {
  const { read, user } = await changed()
  const all = await read()
  const own = all.filter(({ resource, entity }) => resource === 'users' && entity === String(user))
  expect(await read('--entity', `users:${user}`)).toEqual(own)
  expect(await read('--entity', `user:${user}`)).toEqual(own)
  expect(await read('--entity', String(user), '--resource', 'users')).toEqual(own)
  expect(await read('--entity', String(user))).toEqual(own)
  for (const entity of ['authentication-settings', 'ssoEnforced', 'authentication-settings:ssoEnforced'])
    expect(await read('--entity', entity)).toMatchObject([{ field: 'ssoEnforced', after: true }])
  expect(await read('--limit', '2')).toEqual(all.slice(-2))
  expect(await read('--since', '1h')).toEqual(all.filter(({ at }) => at > '2026-03-03'))
  expect(await read('--until', '2026-03-02')).toEqual(all.filter(({ at }) => at < '2026-03-03'))
  expect(await read('--since', '2026-03-03', '--tenant', 'acme')).toEqual(await read('--since', '1h'))
})

it('distinguishes an entity without changes from one that the mirror never had', async () => {
  const { run, user, gone } = await changed()
  for (const id of [user, gone])
    expect(await run('history', '--entity', `users:${id}`, '--until', '2026-03-01')).toMatchObject({
      code: 0,
      stdout: '',
    })
  for (const entity of ['users:99999', 'users:x', '99999', 'documents:1'])
    expect(await run('history', '--entity', entity)).toMatchObject({ code: 2, stdout: '' })
})

it('names the data whose changes it cannot know', async () => {
  const { run, simulator, pass } = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  expect(await run('history')).toMatchObject({ code: 0, stdout: '' })
  simulator.faults.add({ effect: { kind: 'status', status: 500 } })
  pass(aDay)
  await run('sync')
  const [user] = [...simulator.primary.users.all()]
  const stale = /^acme (.+): as of \S+, older than its freshness limit\. /gm
  const namedIn = (text: string) => [...text.matchAll(stale)].flatMap(([, names = '']) => names.split(', ')).toSorted()
  expect(namedIn((await run('history')).stderr)).toEqual([...resourceNames].toSorted())
  expect(namedIn((await run('history', '--entity', `users:${user?.userId}`, '--format', 'json')).stderr)).toEqual([
    'users',
  ])
})

it('refuses a period outside of the history, and names the part of one that is unknown', async () => {
  const { run, user } = await changed()
  for (const args of [
    ['--until', '2026-02-27'],
    ['--since', '90d', '--until', '30d'],
    ['--since', '2026-03-04'],
  ])
    expect((await run('history', ...args)).code).toBe(2)
  const since = await run('history', '--since', '30d', '--entity', `users:${user}`)
  expect(since.code).toBe(0)
  expect(since.stderr).toMatch(/no history from before 2026-03-01T12:00:00.000Z; changes before that time are unknown/)
  expect(since.stdout).toContain('mfaStatus')
})
