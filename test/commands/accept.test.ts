import { expect, it } from 'vitest'
import { aDay, synced } from './support/cli.ts'
import { shown } from './support/on-terminal.ts'

async function shrunk() {
  const world = await synced()
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  const held = await world.run('sync')
  expect(held.code).toBe(3)
  expect(held.stdout).toMatch(/users +full +shrink_held/)
  const [id = ''] = (await world.run('accept')).stdout.split(' ')
  return { ...world, id }
}

it('prints only the holds, and reports on standard error that there is none', async () => {
  const { run } = await synced()
  expect(await run('accept')).toEqual({ code: 0, stdout: '', stderr: 'No holds\n' })
})

it.each([
  ['reason', 'Left with the spin-off'],
  ['count', '3'],
])('refuses --%s without an id', async (option, value) => {
  const { run } = await synced()
  expect(await run('accept', `--${option}`, value)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tenantwatch: --${option} needs the id of a hold or of a drifted state; "tenantwatch accept" lists them\n`,
  })
})

it('lists a hold as id, tenant, resource, reason and count', async () => {
  const { run, id } = await shrunk()
  expect(id).toMatch(/^[A-Za-z0-9_-]+$/)
  expect((await run('accept')).stdout).toBe(`${id} acme users shrink_held 125\n`)
})

it('lists holds and drift as JSON', async () => {
  const { run, id, simulator, pass } = await shrunk()
  simulator.primary.setSettings({ mfaEnabled: false })
  pass(aDay)
  await run('sync')
  const { code, stdout, stderr } = await run('accept', '--format', 'json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { holds, drift } = JSON.parse(stdout)
  const raisedAt = expect.stringMatching(/^2026-03-02T.*Z$/)
  const effect = expect.stringContaining('Accepting removes 125 records of users')
  expect(holds).toMatchObject([
    { tenant: 'acme', id, resource: 'users', reason: 'shrink_held', count: 125, raisedAt, effect },
  ])
  const [{ id: driftId }] = drift
  expect(drift).toMatchObject([{ tenant: 'acme', check: 'auth-settings-unchanged', accepted: false }])
  expect(await run('accept', driftId, '--reason', 'Agreed with the board on 3 May')).toMatchObject({ code: 0 })
  expect(JSON.parse((await run('accept', '--format', 'json')).stdout).drift).toMatchObject([{ accepted: true }])
  expect(await run('accept', '--format', 'xml')).toMatchObject({ code: 2, stdout: '' })
})

it('shows people on a terminal a heading and the command to type next', async () => {
  const { runWith, id } = await shrunk()
  const texts: string[] = []
  const stdout = { isTTY: true, write: (piece: string) => texts.push(piece) }
  await runWith({ stdout } as never, 'accept')
  const [heading, row, ...notes] = texts.join('').split('\n')
  expect(heading).toMatch(/^ID +TENANT +RESOURCE +REASON +COUNT +STATE$/)
  expect(row).toMatch(new RegExp(`^${id} +acme +users +shrink_held +125$`))
  const said = notes.join(' ').replace(/\s+/g, ' ')
  expect(said).toMatch(/^ 125 of 250 users are missing from the full sync; limits: 5 records and 10 percent/)
  expect(said).toContain('If the records are still there in the tenant, accept nothing')
  expect(said).toContain(
    'Accepting removes 125 records of users from the mirror of acme, each once the tenant answers 404 for its id.',
  )
  expect(said).toContain(`Accept it with: tenantwatch accept ${id} --count 125 --reason TEXT`)
  expect(Math.max(...notes.map((line) => line.length))).toBeLessThanOrEqual(80)
})

it('breaks a long command of a hold by a backslash, so that it can be copied', async () => {
  const world = await shrunk()
  const file = `${'a-long-name-of-a-configuration-'.repeat(2)}file.yaml`
  world.write(file, world.read('tenantwatch.yaml'))
  const texts: string[] = []
  const stdout = { isTTY: true, columns: 80, write: (piece: string) => texts.push(piece) > 0 }
  await world.runWith({ stdout }, 'accept', '--config', file)
  const text = texts.join('')
  expect(text).toContain(
    `\n  Accept it with:\n    tenantwatch accept ${world.id} --count 125 --reason TEXT \\\n      --config ${file}\n`,
  )
})

it('keeps the id of a hold while its content is unchanged', async () => {
  const { run, id } = await shrunk()
  await run('sync', '--full')
  expect((await run('accept')).stdout).toBe(`${id} acme users shrink_held 125\n`)
})

it('removes no record before the hold is accepted, and exactly the held records afterwards', async () => {
  const { run, id, simulator } = await shrunk()
  const count = async () => (await run('export', 'users')).stdout.trimEnd().split('\n').length
  expect(await count()).toBe(250)
  const accepted = await run('accept', id, '--count', '125', '--reason', 'Left with the spin-off')
  expect(accepted).toEqual({
    code: 0,
    stdout: [
      `Accepted hold ${id}: acme, users, shrink_held, 125 records.`,
      'A running daemon begins a full sync of users within 1 min; without one, run "tenantwatch sync --tenant acme".\n',
    ].join('\n'),
    stderr: '',
  })
  expect(await count()).toBe(250)
  expect((await run('accept')).stdout).toMatch(/^\S+ acme users shrink_held 125 accepted\n$/)
  const next = await run('sync', '--full')
  expect(next.stdout).toMatch(/users +full +ok +\+0 ~0 -125 =125/)
  expect(next.code).toBe(0)
  expect(await count()).toBe(simulator.state().userCount())
  expect((await run('accept')).stdout).toBe('')
})

it('refuses a count that is not the present one, naming the new one', async () => {
  const { run, id } = await shrunk()
  expect(await run('accept', id, '--count', '3', '--reason', 'A long reason')).toEqual({
    code: 2,
    stdout: '',
    stderr: `tenantwatch: Hold ${id} now covers 125 records, not 3; review it before accepting\n`,
  })
  expect((await run('sync', '--full')).stdout).toMatch(/ -0 =125/)
})

it('refuses a count that is not a whole number', async () => {
  const { run, id } = await shrunk()
  const { code, stderr } = await run('accept', id, '--count', 'abc', '--reason', 'A reason')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('Invalid value of --count "abc": expected a whole number'),
  ])
})

it('refuses a decision without a reason, and a hold that is not there', async () => {
  const { run, id } = await shrunk()
  const noReason = { code: 2, stdout: '', stderr: expect.stringContaining('Give a reason with --reason TEXT') }
  expect(await run('accept', id)).toEqual(noReason)
  expect(await run('accept', id, '--reason', '  ')).toEqual(noReason)
  expect(await run('accept', id, '--reason', 'too short')).toEqual({
    ...noReason,
    stderr: expect.stringContaining('in 10 characters or more'),
  })
  expect(await run('accept', 'nothing', '--reason', 'A reason')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No hold or drifted state has this id'),
  })
})

it('lifts the hold by itself when the records come back', async () => {
  const world = await synced()
  world.simulator.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  expect(await world.run('sync')).toMatchObject({ code: 3 })
  expect((await world.run('accept')).stdout).toMatch(/^\S+ acme api-clients suspect_empty \d+\n$/)
  world.simulator.faults.clear()
  expect(await world.run('sync')).toMatchObject({ code: 0 })
  expect((await world.run('accept')).stdout).toBe('')
})

it('holds a tenant whose token shows another tenant, and writes nothing for it', async () => {
  const world = await synced()
  const users = async () => (await world.run('export', 'users')).stdout
  const before = await users()
  world.simulator.swapTenant('reader')
  world.pass(aDay)
  expect(await world.run('sync')).toMatchObject({ code: 3 })
  expect((await world.run('accept')).stdout).toMatch(/^\S+ acme all tenant_changed \d+\n$/)
  expect(await users()).toBe(before)
  expect((await world.run('doctor')).stdout).toMatch(/its data may be another tenant's\. [A-Z]/)
})

it('accepts another tenant only with the count and after saying what that does', async () => {
  const world = await synced()
  world.simulator.swapTenant('reader')
  world.pass(aDay)
  await world.run('sync')
  const [id = '', , , , count = ''] = (await world.run('accept')).stdout.trim().split(' ')
  // All that accepting removes, not only the ids that were compared.
  expect(Number(count)).toBeGreaterThan(world.simulator.state().userCount() + world.simulator.state().documentCount())
  const reason = ['--reason', 'The tenant was moved, ticket 4711'] as const
  const unconfirmed = await world.run('accept', id, ...reason)
  expect(unconfirmed).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^tenantwatch: Confirm with --count ${count} that you mean this. Accepting replaces the data of acme with`,
      ),
    ),
  })
  expect(unconfirmed.stderr).toContain('If the token or baseUrl is wrong, configure the right one')
  expect(unconfirmed.stderr).toContain('ownClientId, where it is set, must name an API client of the new tenant')
  const texts: string[] = []
  await world.runWith({ stdout: { isTTY: true, write: (piece: string) => texts.push(piece) } } as never, 'accept')
  expect(texts.join('').replace(/\s+/g, ' ')).toContain('those of ANOTHER tenant')
  const accepted = await world.run('accept', id, '--count', count, ...reason)
  expect(accepted.code).toBe(0)
  expect(accepted.stdout).toContain('those of ANOTHER tenant')
  expect(accepted.stdout).toContain('"tenantwatch sync --tenant acme". Until they have ended, checks are unknown.')
})

it('accepts a hold alone, not beside other ids', async () => {
  const { run, id } = await shrunk()
  const { code, stderr } = await run('accept', 'e49418ad0f73-5f2c90ab', id, '--reason', 'Left with the spin-off')
  expect([code, stderr]).toEqual([2, `tenantwatch: ${id} is a hold, which is accepted alone: give its id only\n`])
})

it('keeps the word accepted on the line until the hold is gone', async () => {
  const { run, id } = await shrunk()
  await run('accept', id, '--reason', 'Left with the spin-off')
  await run('sync', '--resource', 'roles')
  expect((await run('accept')).stdout).toBe(`${id} acme users shrink_held 125 accepted\n`)
  expect(await run('accept', id, '--reason', 'Left with the spin-off')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/the hold ends when that has taken effect\. Nothing is left to do\n$/),
  })
  await run('sync', '--full')
  expect((await run('accept')).stdout).toBe('')
})

it('accepts no list without ownClientId, but names the setting that ends the hold', async () => {
  const world = await synced()
  const config = world.read('tenantwatch.yaml')
  const setTo = (clientId: string) =>
    world.write('tenantwatch.yaml', config.replace('name: acme', `name: acme\n    ownClientId: ${clientId}`))
  setTo('00000000-0000-4000-8000-00000000dead')
  world.pass(aDay)
  expect((await world.run('sync')).stdout).toMatch(/api-clients +full +tenant_changed/)
  const [id = ''] = (await world.run('accept')).stdout.split(' ')
  expect(await world.run('accept', id, '--reason', 'It was rotated')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      'cannot be accepted, because the next run would raise it again. Set ownClientId to',
    ),
  })
  const texts: string[] = []
  await world.runWith({ stdout: { isTTY: true, write: (piece: string) => texts.push(piece) } } as never, 'accept')
  expect(texts.join('')).toContain(`\n  It cannot be accepted. Set ownClientId to`)
  expect(texts.join('')).not.toContain('Accept it with')
  setTo(world.simulator.credentials.reader.clientId)
  world.pass(aDay)
  expect((await world.run('sync')).code).toBe(0)
  expect(await world.run('accept')).toEqual({ code: 0, stdout: '', stderr: 'No holds\n' })
})

it('names the configuration file in every command to copy', async () => {
  const { run, id, ...world } = await shrunk()
  const config = ['--config', 'tenantwatch.yaml'] as const
  const listed = (await shown(world, 200, 'accept', ...config)).text
  expect(listed).toContain(
    `List the records it would remove: tenantwatch accept ${id} --list --config tenantwatch.yaml\n`,
  )
  expect(listed).toContain(`tenantwatch accept ${id} --count 125 --reason TEXT --config tenantwatch.yaml\n`)
  const accepted = await run('accept', id, '--reason', 'Left with the spin-off', ...config)
  expect(accepted.stdout).toContain('"tenantwatch sync --tenant acme --config tenantwatch.yaml"')
  await run('sync', '--full')
  const { stderr } = await run('accept', id, '--reason', 'Left with the spin-off', ...config)
  expect(stderr).toMatch(/"tenantwatch history --tenant acme .* --config tenantwatch\.yaml" shows/)
  expect((await run('accept', 'nothing', '--reason', 'A long reason', ...config)).stderr).toContain(
    '"tenantwatch accept --config tenantwatch.yaml" lists both',
  )
})

it('names the configuration file where a sync points to a hold', async () => {
  const world = await synced()
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  const { text } = await shown(world, 200, 'sync', '--config', 'tenantwatch.yaml')
  expect(text).toMatch(/Its records: tenantwatch accept \S+ --list --config tenantwatch\.yaml\n/)
})
