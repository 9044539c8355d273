import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import { aDay, type Cli, synced } from './support/cli.ts'

const check = 'api-client-least-privilege'

/** A client that may create users, waived in the file that the given terms are written to. */
async function waived() {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const roles = ['Importer', 'Wide'].map((name) => primary.roles.add({ name, permissions: ['Api_Users_Create'] }))
  const { clientId } = primary['api-clients'].add({ roleName: roles[0]?.name ?? '' })
  await world.run('sync')
  const base = world.read('tenantwatch.yaml')
  const agree = (terms: string, entity = clientId.toUpperCase(), id = 'W-1') => {
    const waiver = `{ id: ${id}, check: ${check}, entity: "${entity}", tenant: acme, owner: ops, ${terms} }`
    world.write('tenantwatch.yaml', `${base}waivers: [${waiver}]\n`)
  }
  // GUIDs differ in letter case between the tenant and the configuration.
  agree('reason: The importer creates users until May, expires: 2026-04-30')
  await world.run('sync')
  const found = async (...args: string[]): Promise<FindingView[]> => {
    const { stdout } = await world.run('findings', '--format', 'json', ...args)
    return JSON.parse(stdout).filter((one: FindingView) => one.check === check)
  }
  return { ...world, clientId, agree, found }
}

const series = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(`check="${check}"`))

async function metricsOf(world: Pick<Cli, 'run'>) {
  const { stdout } = await world.run('metrics')
  const value = (name: string) => Number(series(stdout, name)[0]?.split(' ').at(-1))
  const state = series(stdout, 'tenantwatch_waiver_state').find((line) => line.endsWith(' 1'))
  return {
    open: value('tenantwatch_findings'),
    waived: value('tenantwatch_findings_waived') || 0,
    covered: value('tenantwatch_waiver_findings'),
    lapsed: value('tenantwatch_waiver_lapsed_findings'),
    ends: value('tenantwatch_waiver_expiration_timestamp_seconds'),
    state: /state="(\w+)"/.exec(state ?? '')?.[1],
  }
}

const ends = Date.parse('2026-04-30T23:59:59.999Z') / 1000

it('takes a waived finding out of the open ones and keeps it counted, in metrics and lists', async () => {
  const world = await waived()
  expect(await metricsOf(world)).toEqual({ open: 0, waived: 1, covered: 1, lapsed: 0, ends, state: 'active' })
  expect((await world.run('sync')).stdout).toMatch(/ pass, \d+ fail, 1 waived, 0 unknown, /)
  expect(await world.found()).toEqual([])
  expect((await world.run('findings')).stderr).toContain('acme: 1 open finding waived; --all lists')
  const all = await world.found('--all')
  expect(all).toMatchObject([{ state: 'waived', entity: { id: world.clientId } }])
  expect(all[0]?.waiver).toEqual({
    id: 'W-1',
    owner: 'ops',
    reason: 'The importer creates users until May',
    expires: '2026-04-30',
    state: 'active',
    explanation: null,
  })
})

it('shows in explain and history how a waiver was agreed, lapsed, was renewed and withdrawn', async () => {
  const world = await waived()
  world.pass(aDay)
  world.simulator.primary['api-clients'].update(world.clientId, { roleName: 'Wide' })
  await world.run('sync')
  const [finding] = await world.found()
  world.pass(aDay)
  world.agree('reason: The importer creates users until May, expires: 2026-05-31')
  await world.run('sync')
  world.pass(aDay)
  const agreed = world.read('tenantwatch.yaml')
  world.write('tenantwatch.yaml', agreed.replace(/waivers: .*/, ''))
  await world.run('sync')
  world.write('tenantwatch.yaml', agreed)
  await world.run('sync')
  world.pass(100 * aDay)
  const [, life = ''] = (await world.run('explain', finding?.fingerprint ?? '')).stdout.split(
    'History of the finding\n',
  )
  const ofWaiver = life.split('\n').filter((line) => line.includes('waiver W-1 '))
  expect(ofWaiver.map((line) => line.replace(/T\S+/, ''))).toEqual([
    '  2026-03-01  waiver W-1 agreed, valid until 2026-04-30 (ops)',
    '  2026-03-02  waiver W-1 lapsed: roleName "Importer" -> "Wide"',
    '  2026-03-03  waiver W-1 renewed, valid until 2026-05-31 (ops)',
    '  2026-03-04  waiver W-1 withdrawn',
    '  2026-03-04  waiver W-1 returned',
  ])
  const { stdout } = await world.run('history', '--entity', world.clientId, '--format', 'json')
  const rows: Readonly<Record<string, unknown>>[] = JSON.parse(stdout)
  const reason = 'The importer creates users until May'
  const waivers = rows.filter(({ change }) => String(change).startsWith('waiver_'))
  expect(waivers.map((row) => [row['change'], row['reason']])).toEqual([
    ['waiver_agreed', reason],
    ['waiver_lapsed', null],
    ['waiver_renewed', reason],
    ['waiver_withdrawn', null],
    ['waiver_returned', null],
  ])
  expect(waivers[0]).toMatchObject({ resource: 'api-clients', entity: world.clientId, field: check, after: 'W-1' })
  expect((await world.run('history')).stdout).toContain(`  waiver_renewed (${check}: "W-1"): ${reason} (ops)\n`)
})

it('lists with --all the waivers that cover nothing', async () => {
  const world = await waived()
  world.agree('reason: Nobody knows any more what this was for, expires: 2026-04-30', 'no-such-client', 'W-2')
  expect((await world.run('findings', '--all')).stderr).toMatch(/^acme: waiver W-2 .*: no such finding/m)
  expect((await world.run('findings')).stderr).not.toContain('W-2')
  expect(await metricsOf(world)).toMatchObject({ open: 1, covered: 0, state: 'orphaned' })
  world.agree('reason: All importers may create users for now, expires: 2026-04-30', '*', 'W-3')
  await world.run('sync')
  world.pass(aDay)
  world.simulator.primary['api-clients'].add({ roleName: 'Wide' })
  await world.run('sync')
  expect(await metricsOf(world)).toMatchObject({ open: 0, waived: 2, covered: 2, state: 'active' })
})
