import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { aDay, type Cli, cli, type Decidable, doctor, json, synced } from '../support/cli.ts'

const marks = (stdout: string, what: string) =>
  stdout.split('\n').filter((line) => new RegExp(`^\\w+ ${what}:`).test(line))
const others = (world: Cli) => {
  world.env['ACME_TOKEN'] = world.simulator.tokens.secondReader
}

it('changes nothing, and states the identity as of the last sync', async () => {
  const world = await synced()
  const digest = () => createHash('sha256').update(readFileSync(world.store)).digest('hex')
  const before = digest()
  const { stdout } = await doctor(world)
  expect(marks(stdout, 'identity')).toEqual([expect.stringMatching(/^ok identity: as of the last sync: /)])
  expect(digest()).toBe(before)
})

it('only warns of a hold of one list, and of what was never read', async () => {
  const world = await synced()
  world.simulator.primary.users.removeWhere(0.5)
  world.pass(aDay)
  expect((await world.run('sync')).code).toBe(3)
  const { code, stdout } = await doctor(world)
  expect(code).toBe(0)
  expect(marks(stdout, 'identity')).toEqual([expect.stringMatching(/^ok /)])
  const [hold] = await json<Decidable>(world, 'accept')
  const isHeld = (next: string) => [expect.stringMatching(`^warn data: users: on hold ${hold?.id}: .*\\. ${next}$`)]
  expect(marks(stdout, 'data')).toEqual(isHeld('See "tenantwatch accept"'))
  await world.run('accept', hold?.id ?? '', '--reason', 'Half of the staff has left')
  expect(marks((await doctor(world)).stdout, 'data')).toEqual(isHeld('It was accepted; the next run applies that'))
  const fresh = await cli()
  await fresh.run('sync', '--resource', 'roles')
  expect(marks((await doctor(fresh)).stdout, 'data')).toEqual([
    expect.stringMatching(/^warn data: .*api-clients, .*users\b.*: never completely read/),
  ])
})

it('names each hold of a tenant, also of one that was never read in full and cannot be read now', async () => {
  const world = await synced()
  others(world)
  world.pass(aDay)
  await world.run('sync')
  const unread = await cli()
  unread.simulator.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  await unread.run('sync', '--resource', 'api-clients')
  unread.write(
    'tenantwatch.yaml',
    unread.read('tenantwatch.yaml').replace(/baseUrl: .*/, 'baseUrl: http://127.0.0.1:1'),
  )
  for (const one of [world, unread]) {
    const [hold] = await json<Decidable>(one, 'accept')
    const line = new RegExp(`^warn data: .*on hold ${hold?.id}: .*See "tenantwatch accept"$`, 'm')
    const { stdout } = await doctor(one)
    expect(stdout).toMatch(line)
    expect(marks(stdout, 'identity')).toEqual(
      one === world ? [expect.stringMatching(/^fail .*configure the right one/)] : [],
    )
  }
})

it('fails where the address moved', async () => {
  const world = await synced()
  const config = world.read('tenantwatch.yaml')
  world.write('moved.yaml', config.replace('http://127.0.0.1:', 'http://localhost:'))
  const moved = await doctor(world, '--config', 'moved.yaml')
  expect(moved.code).toBe(3)
  expect(moved.stdout).toMatch(/^fail identity: the mirror of "acme" comes from http:\/\/127\.0\.0\.1/m)
  // Nothing is on hold before a run.
  expect(moved.stdout).toContain('Once a sync has raised the hold, "tenantwatch accept"')
  expect((await world.run('accept', '--config', 'moved.yaml')).stderr).toContain('No holds')
})

it('looks for ownClientId on every page of the list, after it has asked every endpoint', async () => {
  const world = await cli()
  const config = world.read('tenantwatch.yaml')
  const last = world.simulator.primary['api-clients'].all().at(-1)?.clientId ?? ''
  for (const [own, code] of [
    [last.toUpperCase(), 0],
    ['00000000-0000-4000-8000-000000000000', 3],
  ] as const) {
    world.write(
      'tenantwatch.yaml',
      config.replace(/( *)baseUrl: .*/, (line, by) => `${line}\n${by}ownClientId: ${own}`),
    )
    world.simulator.requests.clear()
    const { stdout, ...ended } = await doctor(world)
    expect(world.simulator.requests.all().findIndex(({ cursor }) => cursor !== null)).toBe(resources.length)
    expect([ended.code, stdout.includes('ownClientId: 00000000-0000-4000-8000-000000000000 is not listed')]).toEqual([
      code,
      code === 3,
    ])
  }
})
