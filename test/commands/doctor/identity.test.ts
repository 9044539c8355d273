import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { warning } from '../../../src/doctor/diagnosis.ts'
import { diagnosisTable } from '../../../src/doctor/render.ts'
import { identifying, resources } from '../../../src/resources/index.ts'
import { scriptedResources } from '../../support/engine.ts'
import { aDay, type Cli, cli, synced } from '../support/cli.ts'

const marks = (stdout: string, what: string) =>
  stdout.split('\n').filter((line) => new RegExp(`^\\S +${what} `).test(line))
const others = (world: Cli) => {
  world.env['ACME_TOKEN'] = world.simulator.tokens.secondReader
}

it('fails when another tenant answers, before any sync has noticed, and evaluates nothing by its lists', async () => {
  const world = await synced()
  const digest = () => createHash('sha256').update(readFileSync(world.store)).digest('hex')
  const before = digest()
  others(world)
  world.simulator.requests.clear()
  const { code, stdout } = await world.run('doctor')
  expect(code).toBe(3)
  expect(marks(stdout, 'identity')).toEqual([
    expect.stringMatching(
      /^✗ +identity +none of the ids in the lists of API clients.* that were read is in the mirror: .*configure the right one/,
    ),
  ])
  expect(marks(stdout, 'enrolledWhen')).toEqual([expect.stringMatching(/^! +enrolledWhen +not checked: /)])
  expect(stdout).not.toContain('MFASTATUS')
  // A proof reads a strange list to its end; the lists of this scene have one page.
  const inScene = (path: string) => scriptedResources.some((name) => path === `/api/public/${name}`)
  const asked = world.simulator.requests.filter(({ path, cursor }) => cursor === null || inScene(path))
  expect(asked).toHaveLength(resources.length)
  expect(digest()).toBe(before)
})

it('fails while the whole tenant is on hold, whichever tenant answers', async () => {
  const world = await synced()
  others(world)
  world.pass(aDay)
  expect((await world.run('sync')).code).toBe(3)
  for (const token of ['secondReader', 'reader'] as const) {
    world.env['ACME_TOKEN'] = world.simulator.tokens[token]
    const { code, stdout } = await world.run('doctor')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^✗ +identity +the tenant is on hold: /m)
    expect(stdout).toMatch(/^! +enrolledWhen +not checked: /m)
  }
})

it('calls no fresh data stale while the whole tenant is on hold', async () => {
  const world = await synced()
  others(world)
  world.pass(aDay / 24)
  expect((await world.run('sync')).code).toBe(3)
  expect(marks((await world.run('doctor')).stdout, 'data')).toEqual([
    expect.stringMatching(/ acme api-clients, authentication-settings: as of .*, older than its freshness limit\. /),
    expect.stringMatching(/ acme .*users: on hold \w+: /),
  ])
})

it('only warns of a hold of one list', async () => {
  const world = await synced()
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  expect((await world.run('sync')).code).toBe(3)
  const { code, stdout } = await world.run('doctor')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^✓ +identity +the tenant is recognized/m)
  expect(stdout).toMatch(/^! +holds +1 open/m)
})

it('names what was never read, and what is on hold', async () => {
  const world = await cli()
  await world.run('sync', '--resource', 'roles')
  expect(marks((await world.run('doctor')).stdout, 'data')).toEqual([
    expect.stringMatching(
      /^! +data +acme api-clients, .*users: never completely read; records may be missing\. Checks/,
    ),
  ])
  await world.run('sync')
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  await world.run('sync', '--full')
  expect(marks((await world.run('doctor')).stdout, 'data')).toEqual([
    expect.stringMatching(/^! +data +acme users: on hold \w+: /),
  ])
})

it('warns of a tenant that was accepted and is not read yet, and recognizes it afterwards', async () => {
  const world = await synced()
  others(world)
  world.pass(aDay)
  await world.run('sync')
  const [id = '', , , , count = ''] = (await world.run('accept')).stdout.trim().split(' ')
  await world.run('accept', id, '--count', count, '--reason', 'The tenant was moved, ticket 4711')
  expect((await world.run('doctor')).code).toBe(3)
  world.pass(aDay)
  await world.run('sync', '--resource', 'roles')
  const { code, stdout } = await world.run('doctor')
  expect(marks(stdout, 'identity')).toEqual([expect.stringMatching(/^! +identity +another tenant was accepted/)])
  expect(code).toBe(0)
  world.pass(aDay)
  expect((await world.run('sync', '--full')).code).toBe(0)
  expect((await world.run('doctor')).stdout).toMatch(/^✓ +identity +the tenant is recognized/m)
})

it('fails where the address moved, and where no list can be read', async () => {
  const world = await synced()
  const config = world.read('tenantwatch.yaml')
  world.write('moved.yaml', config.replace('http://127.0.0.1:', 'http://localhost:'))
  const moved = await world.run('doctor', '--config', 'moved.yaml')
  expect(moved.code).toBe(3)
  expect(moved.stdout).toMatch(/^✗ +identity +the mirror of "acme" comes from http:\/\/127\.0\.0\.1/m)
  // Nothing is on hold before a run.
  expect(moved.stdout).toContain(
    'if it is the right one, the next sync recognizes the tenant or puts it on hold, and "tenantwatch accept --config moved.yaml" then shows what',
  )
  expect((await world.run('accept', '--config', 'moved.yaml')).stderr).toBe('No holds\n')
  for (const { path } of identifying) {
    world.simulator.faults.add({ path, effect: { kind: 'status', status: 500 } })
  }
  const { code, stdout } = await world.run('doctor')
  expect(code).toBe(3)
  expect(marks(stdout, 'identity')).toEqual([expect.stringMatching(/^✗ +identity +cannot be checked: /)])
})

it('breaks no quoted command at the width of a terminal', () => {
  const warned = warning(
    'token',
    'from a file with a mode of 0644; every user may read it',
    'Run "chmod o-r /srv/token"',
  )
  const marks = { ok: 'ok', warn: '!', fail: 'FAIL' }
  for (let columns = 40; columns < 100; columns++)
    expect(diagnosisTable([warned], marks, { columns, hasColors: false })).toContain('"chmod o-r /srv/token"')
})
