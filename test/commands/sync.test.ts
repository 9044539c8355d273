import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { resources } from '../../src/resources/index.ts'
import { takeEngineLock } from '../../src/store/db/sqlite/engine-lock.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { aDay, cli, synced } from './support/cli.ts'

const records = (stdout: string, resource: string) =>
  stdout
    .split('\n')
    .find((line) => line.startsWith(`acme    ${resource} `) || line.startsWith(`acme  ${resource} `))
    ?.replace(/ +/g, ' ')

it('mirrors every resource at first, and prints a summary', async () => {
  const world = await cli()
  const { code, stdout } = await world.run('sync')
  expect(code).toBe(0)
  expect(stdout.split('\n')[0]?.split(/ {2,}/)).toEqual(['TENANT', 'RESOURCE', 'MODE', 'RESULT', 'RECORDS', 'TIME'])
  expect(records(stdout, 'users')).toMatch(/^acme users full ok \+250 ~0 -0 =0 \d+\.\d s$/)
  expect(records(stdout, 'documents')).toMatch(/ full ok \+120 /)
  expect(records(stdout, 'api-clients')).toMatch(/ full ok \+24 /)
  expect(stdout).toMatch(
    /^acme: checks \d+ pass, \d+ fail, 0 unknown, \d+ not applicable; open findings: 2 critical, /m,
  )
  expect(stdout).toContain(`, ${offByDefault.length} not applicable;`)
  expect(world.simulator.violations).toEqual([])
  expect(world.simulator.requests.filter(({ method }) => method !== 'GET')).toEqual([])
})

it('full syncs everything with --full, and only the resource that is named', async () => {
  const world = await synced()
  const all = await world.run('sync', '--full')
  expect(all.stdout.match(/ full +ok /g)).toHaveLength(resources.length)
  const one = await world.run('sync', '--full', '--resource', 'roles')
  expect(one.stdout.match(/ full +ok /g)).toHaveLength(1)
  expect(records(one.stdout, 'roles')).toBeDefined()
  const { documents } = world.simulator.primary
  documents.update(documents.all()[0]?.fileId ?? '', { filename: 'other.pdf' })
  const changed = await world.run('sync', '--full', '--resource', 'documents')
  expect(records(changed.stdout, 'documents')).toContain(' +0 ~1 -0 =119 ')
})

it('reads in full at once who has a role that changed', async () => {
  const world = await synced()
  const { roles } = world.simulator.primary
  roles.update(roles.all()[0]?.roleId ?? 0, { state: 'Inactive' })
  expect((await world.run('sync')).stdout).toMatch(/ users +full +ok +\+0 ~0 -0 =250 /)
})

it('syncs one tenant of several with --tenant', async () => {
  const world = await cli({ tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' }] })
  const one = await world.run('sync', '--tenant', 'globex')
  expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/^globex: checks/m) })
  expect(one.stdout).not.toContain('acme')
  expect(world.simulator.requests.filter(({ tenant }) => tenant === 'primary')).toEqual([])
  const both = await world.run('sync')
  expect(both.stdout).toMatch(/^acme +users +full +ok +\+250 /m)
  expect(both.stdout).toMatch(/^globex +users +incremental +ok +\+0 /m)
})

it('exits with 1 from the severity of --fail-on upwards', async () => {
  const world = await synced({ simulator: { problems: false } })
  expect(await world.run('sync', '--fail-on', 'info')).toMatchObject({ code: 0 })
  world.simulator.primary['api-clients'].add({ secretExpirationDate: '2026-03-11T00:00:00Z' })
  expect(await world.run('sync', '--fail-on', 'high')).toMatchObject({ code: 0 })
  expect(await world.run('sync', '--fail-on', 'medium')).toMatchObject({
    code: 1,
    stderr: 'Exit code 1: acme has 1 open finding at or above medium\n',
  })
  expect(await world.run('sync')).toMatchObject({ code: 0, stderr: '' })
})

it('exits with 3 under --fail-on while an enabled check is unknown, and 3 beats 1', async () => {
  const world = await cli()
  expect(await world.run('sync', '--resource', 'roles')).toMatchObject({ code: 0 })
  expect(await world.run('sync', '--resource', 'roles', '--fail-on', 'critical')).toMatchObject({ code: 3 })
  await world.run('sync')
  expect(await world.run('sync', '--fail-on', 'critical')).toMatchObject({ code: 1 })
  world.simulator.faults.add({ path: '/api/public/permissions', effect: { kind: 'status', status: 500 } })
  const failed = await world.run('sync', '--fail-on', 'critical')
  expect([failed.code, failed.stderr.trimEnd().split('\n').at(-1)]).toEqual([3, 'Exit code 3: acme has 1 failed run'])
  expect((await world.run('sync')).stderr).not.toContain('Exit code')
})

it('ends with 3 on a dead token, loses no finding and turns nothing green', async () => {
  const world = await synced()
  const before = (await world.run('findings', '--format', 'json')).stdout
  world.simulator.credentials.reader.isRevoked = true
  const dead = await world.run('sync')
  expect(dead.code).toBe(3)
  expect(dead.stdout.match(/ unauthorized /g)?.length).toBeGreaterThan(1)
  expect(dead.stdout).not.toMatch(/ ok /)
  // One cause is one line.
  expect(dead.stdout.match(/^acme [a-z-]+(, [a-z-]+)*: /gm)).toEqual([expect.stringMatching(/roles, .*users\b.*: /)])
  const ids = (text: string) => JSON.parse(text).map(({ fingerprint }: { fingerprint: string }) => fingerprint)
  expect(ids((await world.run('findings', '--format', 'json')).stdout)).toEqual(ids(before))
  world.pass(aDay)
  const stale = await world.run('sync')
  expect(stale.code).toBe(3)
  expect(stale.stdout).toMatch(/acme: checks 0 pass, 0 fail, \d+ unknown, \d+ not applicable/)
  expect(ids((await world.run('findings', '--format', 'json')).stdout)).toEqual(expect.arrayContaining(ids(before)))
})

it('shows on a terminal how far it is, and prints nothing but the summary elsewhere', async () => {
  const world = await cli()
  const piped = await world.run('sync')
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^TENANT /) })
  expect(piped.stderr).not.toContain('users')
  const output: string[] = []
  const terminal = { isTTY: true, columns: 200, write: (text: string) => output.push(text) > 0 }
  expect(await world.runWith({ stderr: terminal }, 'sync', '--full')).toMatchObject({ code: 0, stderr: '' })
  expect(output[0]).toMatch(/^\r.*[a-z] \d+$/)
  expect(output.at(-1)).toBe('\r\u001b[K')
})

it('does not request a resource that is switched off, and reports its checks as not applicable', async () => {
  const world = await cli({ more: 'resources: { documents: { enabled: false } }' })
  const { code, stdout } = await world.run('sync')
  expect(code).toBe(0)
  const ofDocuments = checks.filter(({ evaluates, needs }) => [evaluates, ...needs].includes('documents'))
  const inapplicable = new Set([...offByDefault, ...ofDocuments.map(({ id }) => id)])
  expect(stdout).toContain(`, ${inapplicable.size} not applicable`)
  expect(world.simulator.requests.filter(({ path }) => path.includes('documents'))).toEqual([])
  expect((await world.run('sync', '--resource', 'documents')).code).toBe(2)
})

it('leaves the sync to a running engine, and says how to have it sooner', async () => {
  // A port where nobody listens: at the default one, another daemon of this machine would be asked.
  const world = await cli({ simulator: null, more: 'server: { listen: "127.0.0.1:1" }' })
  mkdirSync(dirname(world.store))
  using _lock = takeEngineLock(world.store)
  const { code, stderr } = await world.run('sync')
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining(`working on ${world.store}; stop it first, or leave it to that one`),
  ])
  expect((await world.run('run')).stderr).toContain(`working on ${world.store}; stop it first`)
})
