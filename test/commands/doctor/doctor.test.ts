import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import type { Diagnosis } from '../../../src/doctor/diagnosis.ts'
import { resources } from '../../../src/resources/index.ts'
import { aDay, type Cli, cli, synced } from '../support/cli.ts'

interface DoctorOutput {
  readonly failed: number
  readonly warnings: number
  readonly tenants: readonly {
    readonly tenant: string
    readonly diagnoses: readonly Diagnosis[]
    readonly enrolment: unknown
  }[]
  readonly general: readonly Diagnosis[]
}

async function doctorOutput({ run }: Pick<Cli, 'run'>): Promise<DoctorOutput & { readonly code: number }> {
  const { code, stdout, stderr } = await run('doctor', '--format', 'json')
  expect(stderr).toBe('')
  return { code, ...(JSON.parse(stdout) as DoctorOutput) }
}

const about = (found: readonly Diagnosis[] | undefined, subject: string) =>
  found?.filter((one) => one.subject === subject).map(({ level, sentence }) => `${level}: ${sentence}`)

it('asks every endpoint once, and makes no database', async () => {
  const { run, simulator } = await cli()
  const { code, stdout } = await run('doctor')
  expect(code).toBe(0)
  expect(stdout.match(/^✓ .* Api_\w+_Read /gm)).toHaveLength(resources.length)
  expect(simulator.requests.count()).toBe(resources.length)
  expect(simulator.requests.all().map(({ method }) => method)).toEqual(Array(resources.length).fill('GET'))
  expect(stdout).toMatch(/^✓ +clock +the clocks agree$/m)
  expect(stdout).toMatch(/^✓ +database +.*mirror\.db does not exist yet; the first sync creates it$/m)
  expect(await run('findings')).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no mirror') })
})

it('changes no byte of a database', async () => {
  const world = await synced()
  const digest = () => createHash('sha256').update(readFileSync(world.store)).digest('hex')
  const before = digest()
  expect((await world.run('doctor')).code).toBe(0)
  expect(digest()).toBe(before)
})

it('reads only the tenant that is named, and knows the others', async () => {
  const { run, simulator } = await cli({ tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' }] })
  const { code, stdout } = await run('doctor', '--tenant', 'globex')
  expect([code, stdout.match(/^\w+ at /gm)]).toEqual([0, ['globex at ']])
  expect(new Set(simulator.requests.all().map(({ tenant }) => tenant))).toEqual(new Set(['second']))
  expect(await run('doctor', '--tenant', 'globes')).toEqual({
    ...{ code: 2, stdout: '', stderr: 'tenantwatch: Unknown tenant "globes"; did you mean globex?\n' },
  })
})

it('names each unreadable resource and its permission, for each of several tenants', async () => {
  const { run } = await cli({
    tenants: [{ name: 'acme', token: 'withoutUsers' }, { name: 'globex', token: 'expired' }, { name: 'initech' }],
  })
  const { code, stdout, stderr } = await run('doctor')
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toMatch(/^✗ +users +Api_Users_Read +missing_permission: .*Api_Users_Read/m)
  const [first, second, third] = stdout.split('\n\n')
  expect(first?.match(/^✓ .* Api_/gm)).toHaveLength(resources.length - 1)
  expect(second).toMatch(/^globex at /)
  expect(second?.match(/^✗ +6 resources +5 permissions +unauthorized: /gm)).toHaveLength(1)
  expect(third?.match(/^✓ .* Api_/gm)).toHaveLength(resources.length)
})

it('fails on an empty list of API clients and on a wrong clock', async () => {
  const { run, simulator } = await cli()
  simulator.faults.add({ path: '/api/public/api-clients', effect: { kind: 'empty' } })
  simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'clock-skew', ms: 900_000 } })
  const { code, stdout } = await run('doctor')
  expect(code).toBe(3)
  expect(stdout).toMatch(/^✗ +api-clients .*always contains the caller/m)
  expect(stdout).toMatch(/^✗ +roles .*clock is 900 s ahead of this one/m)
  expect(stdout).toMatch(
    /^✗ +clock +the server's clock is 900\.0 s ahead of this one, more than 300 s\. Correct the clock/m,
  )
})

it('does not wait a time-out for every endpoint of a tenant where nothing answers, and looks at the others', async () => {
  const nobody = createServer()
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const address = nobody.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await new Promise((resolve) => nobody.close(resolve))
  const world = await cli({ tenants: [{ name: 'acme' }, { name: 'dark' }] })
  const config = world.read('tenantwatch.yaml')
  world.write('tenantwatch.yaml', config.replace(/(name: dark\n +baseUrl: ).*/, `$1http://127.0.0.1:${port}`))
  const { code, tenants } = await doctorOutput(world)
  expect(code).toBe(3)
  const [healthy, unreachable] = tenants.map(({ diagnoses }) =>
    diagnoses.filter(({ permission }) => permission !== null),
  )
  expect(healthy?.map(({ level }) => level)).toEqual(Array(resources.length).fill('ok'))
  expect(unreachable?.map(({ reason }) => reason)).toEqual(Array(resources.length).fill('network'))
  expect(unreachable?.filter(({ sentence }) => sentence.includes('skipped'))).toHaveLength(resources.length - 2)
})

it('ends with 0 on warnings alone, as a table and as JSON, and counts them', async () => {
  const world = await synced()
  const { code, failed, warnings, tenants } = await doctorOutput(world)
  expect({ code, failed }).toEqual({ code: 0, failed: 0 })
  expect(warnings).toBe(tenants.flatMap(({ diagnoses }) => diagnoses).filter(({ level }) => level === 'warn').length)
  const table = await world.run('doctor')
  expect(table.code).toBe(0)
  expect(table.stdout).toContain(`\n0 failed, ${warnings} warnings\n`)
  expect(await world.run('doctor', '--format', 'yaml')).toMatchObject({ code: 2, stdout: '' })
})

it('gives a remedy for every warning and failure', async () => {
  const world = await synced({ tenants: [{ name: 'acme' }], more: 'checks: { document-current: { enabled: false } }' })
  world.simulator.faults.add({ path: '/api/public/users', effect: { kind: 'status', status: 403 } })
  const { tenants, general } = await doctorOutput(world)
  const all = [...(tenants[0]?.diagnoses ?? []), ...general]
  const bad = all.filter(({ level }) => level !== 'ok')
  expect(bad.length).toBeGreaterThan(2)
  for (const { subject, advice } of bad)
    expect([subject, advice]).toEqual([subject, expect.stringMatching(/^[A-Z].{10,}/)])
  for (const { sentence } of all) expect(sentence).not.toMatch(/\.$/)
})

it('shows the truth table of the multi-factor flags, with the result of the rule for each row', async () => {
  const world = await synced()
  const users = [...world.simulator.state().users()]
  const count = (state: string, status: boolean, action: boolean) =>
    users.filter((user) => user.state === state && user.mfaStatus === status && user.mfaAction === action).length
  const { stdout } = await world.run('doctor')
  expect(stdout).toMatch(/^enrolledWhen mfaStatus, assumed; policy on\nSTATE +MFASTATUS +MFAACTION +USERS +ENROLLED$/m)
  expect(stdout).toMatch(new RegExp(`^Active +true +false +${count('Active', true, false)} +yes$`, 'm'))
  expect(stdout).toMatch(new RegExp(`^Invited +false +true +${count('Invited', false, true)} +no$`, 'm'))
  world.write(
    'rule.yaml',
    `${world.read('tenantwatch.yaml')}checks: { user-mfa-enrolled: { enrolledWhen: "not mfaAction" } }\n`,
  )
  const other = await world.run('doctor', '--config', 'rule.yaml')
  expect(other.stdout).toMatch(new RegExp(`^Invited +false +true +${count('Invited', false, true)} +no$`, 'm'))
  expect(other.stdout).toMatch(new RegExp(`^Active +false +false +${count('Active', false, false)} +yes$`, 'm'))
})

it('warns about a rule by which nobody is enrolled', async () => {
  const world = await synced()
  for (const { userId } of [...world.simulator.state().users()])
    world.simulator.primary.updateUser(userId, { mfaStatus: false, mfaAction: true })
  world.pass(aDay)
  await world.run('sync')
  const { code, tenants } = await doctorOutput(world)
  expect(code).toBe(0)
  expect(about(tenants[0]?.diagnoses, 'enrolledWhen')).toEqual([
    expect.stringMatching(
      /^warn: by "mfaStatus" none of 250 users is enrolled; by "mfaAction" 250, by "not mfaStatus" 250, by /,
    ),
  ])
})

it('warns as soon as data is older than its freshness limit', async () => {
  const world = await synced()
  world.pass(aDay / 24)
  const { tenants } = await doctorOutput(world)
  expect(about(tenants[0]?.diagnoses, 'data')).toEqual([
    expect.stringMatching(
      /^warn: acme api-clients, authentication-settings: as of .*, older than its freshness limit$/,
    ),
  ])
})

it('asks a request a second beside an engine, whatever rate is configured', async () => {
  const world = await synced({ tenants: [{ name: 'acme' }] })
  const { takeEngineLock } = await import('../../../src/store/db/sqlite/engine-lock.ts')
  world.simulator.requests.clear()
  using _lock = takeEngineLock(world.store)
  const { code, general } = await doctorOutput(world)
  expect(code).toBe(0)
  expect(about(general, 'engine')).toEqual(['ok: one is running'])
  const times = world.simulator.requests.all().map(({ time }) => time)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThanOrEqual(5000)
})

it('warns of an allowed client that is the id of no mirrored API client', async () => {
  const world = await synced()
  const [client] = world.simulator.state().apiClients()
  const id = client?.clientId.toUpperCase()
  const allowed = `{ "${id}": [A], Backup: [A] }`
  const more = `checks: { api-client-least-privilege: { allowed: ${allowed} } }`
  world.write('tenantwatch.yaml', `${world.read('tenantwatch.yaml')}\n${more}\n`)
  const { tenants } = await doctorOutput(world)
  expect(about(tenants[0]?.diagnoses, 'api-client-least-privilege')).toEqual([
    'warn: allowed names "Backup", which is the id of no mirrored API client',
  ])
})

it('prints one line for one cause that fails every request, and names the resources', async () => {
  const { run, env, simulator } = await cli()
  env['ACME_TOKEN'] = 'no-longer-valid'
  const { stdout } = await run('doctor')
  expect(stdout).toMatch(/\n6 failed for 1 cause, /)
  const refused = stdout.split('\n').filter((line) => line.includes('unauthorized'))
  await simulator.close()
  env['ACME_TOKEN'] = simulator.tokens.reader
  const unconnected = (await run('doctor')).stdout
  expect(unconnected).toMatch(/\n\d failed, \d not tried for 1 cause, /)
  const unreachable = unconnected.split('\n').filter((line) => line.includes('network:'))
  for (const lines of [refused, unreachable]) {
    expect(lines).toEqual([expect.stringMatching(/^✗ +6 resources /)])
    for (const { name } of resources) expect(lines[0]).toContain(name)
  }
})

it('repeats no consequence where every endpoint failed for one cause', async () => {
  const world = await cli({ tenants: [{ name: 'acme', token: 'expired' }] })
  await world.run('sync')
  const { code, tenants } = await doctorOutput(world)
  expect(code).toBe(3)
  const subjects = tenants[0]?.diagnoses.map(({ subject }) => subject)
  for (const follows of ['identity', 'enrolledWhen', 'data']) expect(subjects).not.toContain(follows)
})
