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
  const [user, gone] = [...world.simulator.state().users()]
  primary.updateUser(user?.userId ?? 0, { mfaStatus: user?.mfaStatus !== true, email: '=1+1@example.com' })
  world.pass(aDay)
  await world.run('sync', '--full')
  primary.removeUser(gone?.userId ?? 0)
  const added = primary.addUser({ firstName: 'Ann' })
  primary.setSettings({ ssoEnforced: true })
  world.pass(aDay)
  await world.run('sync', '--full')
  const read = async (...args: string[]) =>
    JSON.parse((await world.run('history', '--format', 'json', ...args)).stdout) as readonly Change[]
  return { ...world, read, user: user?.userId ?? 0, gone: gone?.userId ?? 0, added: added.userId }
}

it('prints each change with its time, its old and new value and its request id, the newest last', async () => {
  const { read, user, gone, added } = await changed()
  const changes = await read()
  expect(changes.map(({ at }) => at)).toEqual(changes.map(({ at }) => at).toSorted())
  const of = (entity: number) => changes.filter((one) => one.resource === 'users' && one.entity === String(entity))
  expect(of(user).map(({ change, field }) => [change, field])).toEqual([
    ['changed', 'email'],
    ['changed', 'mfaStatus'],
  ])
  expect(of(user)[1]).toMatchObject({ at: '2026-03-02T12:00:00.000Z', tenant: 'acme' })
  expect(of(user)[1]?.after).toBe(of(user)[1]?.before !== true)
  expect(of(gone).map(({ change }) => change)).toEqual(['removed'])
  expect(of(added).map(({ change }) => change)).toContain('created')
  for (const { requestId } of changes) expect(requestId).toMatch(/^[\da-f-]{36}$/)
})

it('shows which permissions of a role were added and removed, and in JSON both lists', async () => {
  const { run, simulator, pass } = await synced()
  const all = [...simulator.state().permissions()]
  const role = [...simulator.state().roles()].find(({ permissions: { length } }) => length > 0 && length < all.length)
  const codes = (role?.permissions ?? []).map(({ code }) => code)
  const added = all.find(({ code }) => !codes.includes(code))?.code ?? ''
  simulator.primary.updateRole(role?.roleId ?? 0, { permissions: [...codes.slice(1), added] })
  pass(aDay)
  await run('sync', '--full')
  const { stdout } = await run('history', '--entity', `roles:${role?.roleId}`)
  expect(stdout).toContain(`permissions: +${added} -${codes[0]}\n`)
  const json = await run('history', '--entity', `roles:${role?.roleId}`, '--format', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject([{ field: 'permissions', before: role?.permissions }])
})

it('narrows by entity, resource and time', async () => {
  const { read, user } = await changed()
  const all = await read()
  const own = all.filter(({ resource, entity }) => resource === 'users' && entity === String(user))
  expect(await read('--entity', `users:${user}`)).toEqual(own)
  expect(await read('--entity', `user:${user}`)).toEqual(own)
  expect(await read('--entity', String(user), '--resource', 'users')).toEqual(own)
  expect(await read('--entity', String(user))).toEqual(own)
  expect(await read('--resource', 'authentication-settings')).toMatchObject([{ field: 'ssoEnforced', after: true }])
  expect(await read('--limit', '2')).toEqual(all.slice(-2))
  expect(await read('--since', '1h')).toEqual(all.filter(({ at }) => at > '2026-03-03'))
  expect(await read('--until', '2026-03-02')).toEqual(all.filter(({ at }) => at < '2026-03-03'))
  expect(await read('--since', '2026-03-03', '--tenant', 'acme')).toEqual(await read('--since', '1h'))
})

it('calls the one object of a tenant as findings call it, and finds the changes of one setting by its name', async () => {
  const { read, run, simulator, pass } = await changed()
  simulator.primary.setSettings({ mfaEnabled: false })
  pass(aDay)
  await run('sync', '--full')
  const whole = ['authentication-settings', 'authentication-settings:authentication-settings']
  for (const entity of whole)
    expect(await read('--entity', entity)).toMatchObject([
      { entity: 'authentication-settings', field: 'ssoEnforced' },
      { entity: 'authentication-settings', field: 'mfaEnabled' },
    ])
  for (const entity of ['ssoEnforced', 'authentication-setting:ssoEnforced', 'authentication-settings:ssoEnforced'])
    expect(await read('--entity', entity)).toMatchObject([{ field: 'ssoEnforced' }])
  const { stdout } = await run('history', '--entity', 'ssoEnforced')
  expect(stdout).toMatch(/ authentication-settings .* ssoEnforced /)
})

it('distinguishes an entity without changes from one that the mirror never had', async () => {
  const { run, user, gone, simulator } = await changed()
  const quiet = [...simulator.state().users()].find(({ userId }) => userId !== user && userId !== gone)?.userId
  const until = ['--until', '2026-03-01']
  for (const id of [quiet, user, gone])
    expect(await run('history', '--entity', `users:${id}`, ...until)).toMatchObject({
      code: 0,
      stdout: '',
    })
  for (const entity of ['users:99999', 'users:x', '99999', 'documents:1'])
    for (const format of ['table', 'json'])
      expect(await run('history', '--entity', entity, '--format', format)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: 'tenantwatch: Unknown entity: the mirror never had this id; expected one such as 12 or users:12\n',
      })
})

it('hides values that name a person or a file unless requested', async () => {
  const { read, user } = await changed()
  const email = async (...args: string[]) =>
    (await read('--entity', `users:${user}`, ...args)).find(({ field }) => field === 'email')
  expect(await email()).toMatchObject({ before: '[hidden]', after: '[hidden]' })
  expect(await email('--details')).toMatchObject({ after: '=1+1@example.com' })
})

it('hides fields that the specification does not name, because they may name a person or file', async () => {
  const { run, pass, simulator } = await synced({ simulator: { sizes: { users: 3, documents: 3 } } })
  const [user] = [...simulator.state().users()]
  simulator.primary.updateUser(user?.userId ?? 0, { nickname: 'Canary' } as never)
  const [client] = [...simulator.state().apiClients()]
  simulator.primary.updateApiClient(client?.clientId ?? '', { owner: 'Canary' } as never)
  pass(aDay)
  await run('sync', '--full')
  const open = (await run('history', '--details')).stdout
  expect(open).toContain('extra null -> {"nickname":"Canary"}')
  expect(open).toContain('extra null -> {"owner":"Canary"}')
  const { stdout } = await run('history')
  expect(stdout.match(/extra null -> "\[hidden\]"/g)).toHaveLength(2)
  expect(stdout).not.toContain('Canary')
})

it('names the data whose changes it cannot know', async () => {
  const { run, simulator, pass } = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  expect(await run('history')).toMatchObject({ code: 0, stdout: '' })
  simulator.faults.add({ effect: { kind: 'status', status: 500 } })
  pass(aDay)
  await run('sync')
  const [user] = [...simulator.state().users()]
  const stale = /^acme (.+): as of \S+, older than its freshness limit\. /gm
  const namedIn = (text: string) => [...text.matchAll(stale)].flatMap(([, names = '']) => names.split(', ')).toSorted()
  expect(namedIn((await run('history')).stderr)).toEqual([...resourceNames].toSorted())
  expect(namedIn((await run('history', '--entity', `users:${user?.userId}`, '--format', 'json')).stderr)).toEqual([
    'users',
  ])
})

it('refuses a period outside of the history, and names the part of one that is unknown', async () => {
  const { run, user } = await changed()
  const refusal = (text: string) => ({ code: 2, stdout: '', stderr: `tenantwatch: ${text}\n` })
  const before = 'There is no history from before 2026-03-01T12:00:00.000Z'
  expect(await run('history', '--until', '2026-02-27')).toEqual(refusal(before))
  expect(await run('history', '--since', '90d', '--until', '30d', '--format', 'json')).toEqual(refusal(before))
  expect(await run('history', '--since', '2026-03-04')).toEqual(refusal('The time of --since is in the future'))
  const since = await run('history', '--since', '30d', '--entity', `users:${user}`)
  expect(since).toMatchObject({ code: 0, stderr: `${before}; changes before that time are unknown\n` })
  expect(since.stdout).toContain('mfaStatus')
  expect(await run('history', '--since', '2026-03-02', '--entity', `users:${user}`)).toMatchObject({
    code: 0,
    stderr: '',
  })
})
