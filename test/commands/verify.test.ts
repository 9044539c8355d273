import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { withDatabase } from '../support/sqlite.ts'
import { aDay, type Cli, synced } from './support/cli.ts'

interface Head {
  readonly sequence: number
  readonly at: string
  readonly hash: string
}

interface TenantJson {
  readonly tenant: string
  readonly chainHead: Head | null
}

async function heads({ run }: Pick<Cli, 'run'>, ...options: readonly string[]): Promise<readonly Head[]> {
  const { stdout } = await run('report', '--format', 'json', ...options)
  const { tenants } = JSON.parse(stdout) as { readonly tenants: readonly TenantJson[] }
  return tenants.flatMap(({ chainHead }) => chainHead ?? [])
}

/** Changes one user and syncs, a minute later. */
async function change(world: Cli, lastName: string): Promise<void> {
  const [user] = world.simulator.state().users()
  world.simulator.primary.updateUser(user?.userId ?? 0, { lastName })
  world.pass(minuteMs)
  await world.run('sync', '--full')
}

it('finds the head of a report, and tells what it verified', async () => {
  const world = await synced()
  await change(world, 'Else')
  const [head] = await heads(world)
  const { code, stdout } = await world.run('verify', '--head', head?.hash ?? '')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^configuration of all tenants: 1 entry since \S+, 1 row checked, .*\nacme: \d+ entries since 2026-03-01T12:00:\d\d\.\d+Z, \d+ rows checked, 0 erased by retention, 0 not yet sealed; head [0-9a-f]{64} of 2026-03-01T12:01:\S+Z\nacme: the given head [0-9a-f]{64} is entry \d+ of \S+; it is the last one\nNo mismatch: every sealed row agrees with its hash chain\.\n$/,
  )
  expect(stdout).toContain(`head ${head?.hash} of ${head?.at}`)
  for (const format of ['html', 'md', 'oscal'])
    expect((await world.run('report', '--format', format)).stdout).toContain(head?.hash)
})

it('keeps the head of a time for later reports of that time', async () => {
  const world = await synced()
  const time = new Date(world.now()).toISOString()
  const before = await heads(world)
  await change(world, 'Else')
  const after = await heads(world)
  expect(after[0]?.sequence).toBeGreaterThan(before[0]?.sequence ?? 0)
  expect(await heads(world, '--as-of', time)).toEqual(before)
  const both = [...before, ...after].flatMap(({ hash }) => ['--head', hash])
  expect(await world.run('verify', ...both)).toMatchObject({ code: 0 })
})

it('works beside an engine, and counts what that has not sealed yet', async () => {
  const world = await synced()
  await using engine = openMirror(world.store, 'engine')
  const [tenant] = await engine.tenants()
  const id = tenant?.id ?? 0
  const state = { entityId: 'x', state: 1, at: world.now(), reason: 'Ticket 1' }
  await engine.acceptStates([{ tenantId: id, check: 'auth-settings-unchanged', ...state }])
  expect((await world.run('verify')).stdout).toContain('1 not yet sealed')
  await engine.seal(id, world.now())
  expect(await world.run('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('0 not yet sealed') })
})

it('seals a decision with the next evaluation', async () => {
  const world = await synced({ simulator: { sizes: { users: 60 } } })
  for (const { userId } of [...world.simulator.state().users()].slice(0, 40)) world.simulator.primary.removeUser(userId)
  for (let i = 0; i < 2; i++) {
    world.pass(minuteMs)
    await world.run('sync', '--full')
  }
  const [hold = ''] = (await world.run('accept')).stdout.split(' ')
  await world.run('accept', hold, '--reason', 'Left with the spin-off')
  expect((await world.run('verify')).stdout).toContain('1 not yet sealed')
  world.pass(minuteMs)
  await world.run('sync', '--full')
  expect((await world.run('verify')).stdout).toContain('0 not yet sealed')
  withDatabase(world.store, (db) => db.exec(`update decisions set reason = 'Nobody asked'`))
  const { code, stdout } = await world.run('verify')
  expect(code).toBe(3)
  expect(stdout).toMatch(
    /^acme: MISMATCH: accepted holds \(table decisions\), ids 1 to 1, sealed by entry \d+ of \S+: the row was changed$/m,
  )
})

it('names rows and entries that are missing, inserted or changed', async () => {
  const world = await synced()
  await change(world, 'Else')
  await change(world, 'Other')
  const said = async (text: string) => {
    withDatabase(world.store, (db) => db.exec(text))
    const { code, stdout } = await world.run('verify')
    expect(code).toBe(3)
    return stdout
  }
  expect(await said('delete from changes where id = (select min(id) from changes)')).toMatch(
    /MISMATCH: changes \(table changes\), ids \d+ to \d+, sealed by entry \d+ of \S+: 1 of \d+ rows? is missing/,
  )
  const columns = 'tenant_id, fingerprint, at, kind, severity, message, evidence, resolution'
  const forged = `insert into finding_events (id, ${columns}) select -1, ${columns} from finding_events limit 1`
  expect(await said(forged)).toMatch(/MISMATCH: finding events \(table finding_events\), .*: 1 row was inserted$/m)
  expect(await said('update audit_chain set at = at + 1 where sequence = 2')).toMatch(
    /MISMATCH: entry 2 of \S+, or the one before it, was changed or inserted/,
  )
  expect(await said('delete from audit_chain where sequence = 3')).toMatch(
    /MISMATCH: 1 entry before entry 4 of \S+ is missing/,
  )
})

it('detects invented waivers, a past without its findings, and a chain without its entries', async () => {
  const world = await synced()
  const said = async (text: string) => {
    withDatabase(world.store, (db) => db.exec(text))
    const { code, stdout } = await world.run('verify')
    expect(code).toBe(3)
    return stdout
  }
  expect(await said(`update configurations set content = x'00'`)).toMatch(
    /^configuration of all tenants: MISMATCH: configurations \(table configurations\), ids 1 to 1, sealed by entry 1 of \S+: the row was changed$/m,
  )
  expect(await world.run('report')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('The recorded configuration in the mirror cannot be read'),
  })
  expect(await said(`update tenant_states set state = '{}'`)).toMatch(
    /^acme: MISMATCH: data quality \(table tenant_states\), .*: (the row|at least one of \d+ rows) was changed$/m,
  )
  expect(await said('delete from findings where id = (select min(id) from findings)')).toMatch(
    /^acme: MISMATCH: 1 finding \([0-9a-f]{32}\) is missing from the table findings although events of it are sealed$/m,
  )
  expect(await said(`update findings set entity_id = 'x'`)).toMatch(
    /^acme: MISMATCH: \d+ findings \([0-9a-f]{32} and others\) of the table findings differ from their events in entity, severity, state, message, evidence or age$/m,
  )
  const late = `update check_states set evaluated_at = evaluated_at + ${2 * hourMs}`
  expect(await said(`delete from audit_chain where tenant_id > 0; ${late}`)).toMatch(
    /^acme: MISMATCH: \d+ rows of finding events \(table finding_events\), the first of \S+, are not sealed: their entries were removed, or they were inserted with an earlier date$/m,
  )
})

it('detects that a lapsed waiver covers its finding again', async () => {
  const waiver = `{ id: W-1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: ops, reason: Until the roll-out has ended, expires: 2026-04-30 }`
  const world = await synced({ more: `waivers: [${waiver}]` })
  const [{ entity }] = JSON.parse(
    (await world.run('findings', '--all', '--check', 'user-mfa-enrolled', '--format', 'json')).stdout,
  )
  world.simulator.primary.updateUser(Number(entity.id), { email: 'other@example.com' })
  world.pass(aDay)
  await world.run('sync', '--full')
  expect(await world.run('verify')).toMatchObject({ code: 0 })
  withDatabase(world.store, (db) =>
    db.exec(
      'update waived_findings set facts = lapsed_facts, lapsed_at = null, lapsed_facts = null where lapsed_at is not null',
    ),
  )
  const { code, stdout } = await world.run('verify')
  expect(code).toBe(3)
  expect(stdout).toMatch(
    /^acme: MISMATCH: 1 finding \(of waiver W-1\) is not lapsed in the table waived_findings although/m,
  )
})

it('does not say that all agrees where a chain has no entries', async () => {
  const world = await synced()
  withDatabase(world.store, (db) => db.exec('delete from audit_chain where tenant_id > 0'))
  const { code, stdout } = await world.run('verify')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^acme: 0 entries, 0 rows checked, 0 erased by retention, \d+ not yet sealed$/m)
  expect(stdout).toMatch(/^No mismatch, but a chain without entries proves nothing; /m)
})

it('detects a chain that was recomputed as a whole by the head of an earlier report', async () => {
  const world = await synced()
  const [head] = await heads(world)
  withDatabase(world.store, (db) =>
    db.exec(
      `delete from audit_chain; update finding_events set message = 'All is well'; update findings set message = 'All is well'`,
    ),
  )
  world.pass(hourMs)
  await world.run('sync')
  expect(await world.run('verify')).toMatchObject({ code: 0 })
  const { code, stdout } = await world.run('verify', '--head', head?.hash ?? '')
  expect(code).toBe(3)
  expect(stdout).toContain(`MISMATCH: the head ${head?.hash} is not in the chain of any tenant`)
  expect(stdout).not.toContain('No mismatch')
})

it('verifies after retention, whose erasure is part of the chain', async () => {
  const world = await synced({ more: 'history: { retentionDays: 30 }' })
  const [head] = await heads(world)
  await change(world, 'Else')
  for (let i = 0; i < 3; i++) {
    world.pass(20 * aDay)
    await change(world, `Name ${i}`)
  }
  const { code, stdout } = await world.run('verify', '--head', head?.hash ?? '')
  expect(stdout).toMatch(/, [1-9]\d* erased by retention, 0 not yet sealed/)
  expect(code).toBe(0)
})

it('finds the head of the chain of configurations, too', async () => {
  const world = await synced()
  const [, head = ''] =
    /^configuration of all tenants: .*; head ([0-9a-f]{64}) /m.exec((await world.run('verify')).stdout) ?? []
  const { code, stdout } = await world.run('verify', '--head', head)
  expect(code).toBe(0)
  expect(stdout).toContain(`configuration of all tenants: the given head ${head} is entry 1 of `)
})

it('verifies one tenant, whose chain does not have the head of another one', async () => {
  const world = await synced({ tenants: [{ name: 'acme' }, { name: 'beta' }] })
  const [acme, beta] = await heads(world)
  expect(await world.run('verify', '--tenant', 'beta', '--head', beta?.hash ?? '')).toMatchObject({ code: 0 })
  const { code, stdout } = await world.run('verify', '--tenant', 'beta', '--head', acme?.hash ?? '')
  expect(code).toBe(3)
  expect(stdout).not.toMatch(/^acme/m)
  expect(stdout).toContain('is not in the chain of beta')
})

it('writes JSON for programs', async () => {
  const world = await synced()
  const began = world.now()
  const iso = (at: number) => new Date(at).toISOString()
  const inserted = `insert into tenant_states (tenant_id, at, state) select tenant_id, ${began + hourMs}, state from tenant_states`
  world.pass(aDay)
  await change(world, 'Else')
  withDatabase(world.store, (db) => db.exec(inserted))
  await change(world, 'Other')
  const [head] = await heads(world)
  withDatabase(world.store, (db) => db.exec(`update finding_events set severity = 'low' where id = 1`))
  const { code, stdout } = await world.run('verify', '--format', 'json', '--head', 'F'.repeat(64))
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject({
    configuration: { erased: 0, unsealed: 0, mismatches: [] },
    tenants: [
      {
        ...{ tenant: 'acme', erased: 0, unsealed: 0, head },
        mismatches: [
          { what: 'rows_changed', log: 'finding_events', firstId: 1, at: expect.stringMatching(/Z$/) },
          {
            ...{ what: 'rows_backdated', log: 'tenant_states', firstAt: iso(began + hourMs) },
            ...{
              sealedBefore: expect.stringMatching(/^2026-03-02T.*Z$/),
              at: expect.stringMatching(/^2026-03-02T.*Z$/),
            },
          },
          { what: 'findings_changed', count: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) },
        ],
      },
    ],
    unknownHeads: ['f'.repeat(64)],
  })
})

it('refuses a head that is none, without repeating it, and a tenant that the mirror has not', async () => {
  const world = await synced()
  const bad = await world.run('verify', '--head', 'secret-of-mine')
  expect(bad).toMatchObject({ code: 2, stdout: '' })
  expect(bad.stderr).toContain('64 hexadecimal digits')
  expect(bad.stderr).not.toContain('secret-of-mine')
  expect(await world.run('verify', '--tenant', 'nobody')).toMatchObject({ code: 2 })
})
