import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import type { Explanation } from '../../src/report/explanation.ts'
import { aDay, synced } from './support/cli.ts'

async function explained() {
  const world = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  const [user] = [...world.simulator.state().users()].filter(({ state }) => state === 'Active')
  const userId = user?.userId ?? 0
  for (const mfaStatus of [true, false, true, false]) {
    world.simulator.primary.updateUser(userId, { mfaStatus })
    world.pass(aDay)
    await world.run('sync', '--full')
  }
  const found = JSON.parse((await world.run('findings', '--format', 'json')).stdout) as Explanation['finding'][]
  const finding = found.find(({ check, entity }) => check === 'user-mfa-enrolled' && entity.id === String(userId))
  if (finding === undefined) throw new Error('The user has no finding')
  const explain = async (...args: string[]) =>
    JSON.parse((await world.run('explain', finding.fingerprint, '--format', 'json', ...args)).stdout) as Explanation
  return { ...world, userId, finding, explain }
}

it('prints the rule with its configuration, the raw facts, and the history of entity and finding', async () => {
  const { explain, finding, userId } = await explained()
  const { rule, record, changes, life, finding: shown } = await explain()
  const identity = { createdAt: expect.stringMatching(/^20/), emailDigest: '[hidden]' }
  expect(shown).toEqual({ ...finding, evidence: { ...finding.evidence, identity } })
  expect(rule?.configured).toEqual({
    enabled: true,
    severity: null,
    options: { enrolledWhen: null },
    asEvaluated: true,
  })
  expect(record).toMatchObject({
    resource: 'users',
    fields: { userId, mfaStatus: false, state: 'Active' },
    firstSeen: '2026-03-01T12:00:00.000Z',
    readAt: '2026-03-05T12:00:00.000Z',
    absent: false,
  })
  expect(record?.requestId).toBe(finding.evidence['requestId'])
  const flags = changes.filter(({ field }) => field === 'mfaStatus').map(({ at, before, after }) => [at, before, after])
  expect(flags.slice(-2)).toEqual([
    ['2026-03-04T12:00:00.000Z', false, true],
    ['2026-03-05T12:00:00.000Z', true, false],
  ])
  expect(life.slice(-3).map(({ at, event, resolution }) => [at.slice(0, 10), event, resolution])).toEqual([
    ['2026-03-03', 'opened', null],
    ['2026-03-04', 'resolved', 'fixed'],
    ['2026-03-05', 'reopened', null],
  ])
})

it('reports when the configured thresholds differ from the evaluated ones, and that a tenant is gone', async () => {
  const { explain, run, finding, read, write } = await explained()
  const base = read('tenantwatch.yaml')
  write('tenantwatch.yaml', `${base}checks: { user-mfa-enrolled: { enrolledWhen: mfaAction } }\n`)
  expect((await explain()).rule?.configured).toMatchObject({
    options: { enrolledWhen: 'mfaAction' },
    asEvaluated: false,
  })
  const { stdout } = await run('explain', finding.fingerprint.slice(0, 8))
  expect(stdout).toContain('Configured   enrolledWhen "mfaAction"\n             changed since the last evaluation\n')
  write('tenantwatch.yaml', base.replace('name: acme', 'name: other'))
  expect((await explain()).rule?.configured).toBeNull()
})

it('keeps the life of a finding whose entity is gone', async () => {
  const { explain, simulator, run, pass, userId } = await explained()
  simulator.primary.removeUser(userId)
  pass(aDay)
  await run('sync', '--full')
  const { record, life, changes } = await explain()
  expect(record).toBeNull()
  expect(life.at(-1)).toMatchObject({ event: 'resolved', resolution: 'entity_removed' })
  expect(changes.at(-1)).toMatchObject({ change: 'removed' })
})

it('accepts an unambiguous prefix and refuses any other in one sentence', async () => {
  const { run, finding } = await explained()
  const output = async (given: string) => {
    const { code, stderr } = await run('explain', given)
    return [code, stderr]
  }
  expect((await run('explain', finding.fingerprint.slice(0, 6).toUpperCase())).code).toBe(0)
  expect(await output('user-mfa-enrolled')).toEqual([
    2,
    'tenantwatch: explain takes a fingerprint; "tenantwatch report" shows every check with its state\n',
  ])
  expect(await output('f')).toEqual([2, 'tenantwatch: Give at least 6 characters of the fingerprint\n'])
  expect(await output('zzzzzz')).toEqual([
    2,
    'tenantwatch: No finding has this fingerprint; see "tenantwatch findings --all"\n',
  ])
})

it('says which facts of a finding changed, from which value to which, and the same words once', async () => {
  const { run, simulator, pass, userId, finding } = await explained()
  for (const mfaAction of [true, false, true]) {
    simulator.primary.updateUser(userId, { roleName: `Role ${mfaAction}` })
    pass(aDay)
    await run('sync', '--full')
  }
  const [, history = ''] = (await run('explain', finding.fingerprint)).stdout.split('History of the finding\n')
  const lines = history
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ *\S+ */, ''))
  const changed = lines.filter((line) => line.startsWith('changed'))
  expect(changed).toEqual([
    expect.stringMatching(/^changed, high: roleName ".*" -> "Role true"$/),
    'changed, high: roleName "Role true" -> "Role false"',
    'changed, high: roleName "Role false" -> "Role true"',
  ])
  // Something else of the user: evidence that states the same is no event.
  simulator.primary.updateUser(userId, { firstName: 'Grace' })
  pass(aDay)
  await run('sync', '--full')
  expect((await run('explain', finding.fingerprint)).stdout).toMatch(
    / {2}2026-03-08\S+ {2}changed, high: roleName "Role false" -> "Role true"\n$/,
  )
  const since = await run('findings', '--since', '1h', '--format', 'json')
  expect(JSON.parse(since.stdout)).toEqual([])
})

it('names persons and files with --details only', async () => {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const person = { firstName: 'Ada', lastName: 'Canary', email: 'canary@example.com', mfaStatus: false }
  const { userId } = primary.addUser({ ...person, raw: { nickname: 'canary' } })
  const old = { createdAt: '2024-01-01T00:00:00Z', updatedAt: null }
  const { fileId } = primary.addDocument({ filename: 'canary.pdf', uploadStatus: 'Lost', ...old })
  await world.run('sync', '--full')
  primary.updateUser(userId, { email: 'canary2@example.com' })
  primary.updateDocument(fileId, { filename: 'canary2.pdf' })
  world.pass(aDay)
  await world.run('sync', '--full')
  const found: FindingView[] = JSON.parse((await world.run('findings', '--format', 'json')).stdout)
  const about = (id: string) =>
    found.find(({ entity, check }) => entity.id === id && check !== 'document-current')?.fingerprint ?? ''
  for (const [fingerprint, change] of [
    [about(String(userId)), '  email "[hidden]" -> "[hidden]"'],
    [about(fileId), 'changed, low: filename "[hidden]" -> "[hidden]", updatedAt null -> '],
  ] as const) {
    const text = (await world.run('explain', fingerprint)).stdout
    expect(text).not.toMatch(/canary/i)
    expect(text).toContain(change)
    expect((await world.run('explain', fingerprint, '--format', 'json')).stdout).not.toMatch(/canary/i)
    expect((await world.run('explain', fingerprint, '--details')).stdout).toMatch(/canary.*canary2/i)
  }
})

it('hides the pattern of a required document, which may be a file name, without --details', async () => {
  const { run } = await synced({
    simulator: { sizes: { users: 3, documents: 3 } },
    more: 'checks: { document-required-present: { requirements: [{ id: soc, pattern: "Secret plan*.pdf" }] } }',
  })
  const [found] = JSON.parse(
    (await run('findings', '--check', 'document-required-present', '--format', 'json')).stdout,
  ) as FindingView[]
  const explained = async (...args: string[]) => (await run('explain', found?.fingerprint ?? '', ...args)).stdout
  expect(await explained()).toContain('Configured   requirements [{"id":"soc","pattern":"[hidden]"')
  for (const format of ['text', 'json']) expect(await explained('--format', format)).not.toContain('Secret plan')
  expect(await explained('--details')).toContain('"pattern":"Secret plan*.pdf"')
})

it('says in the history of a finding that the rule was configured otherwise', async () => {
  const { run, write, read, pass, finding } = await explained()
  write('tenantwatch.yaml', `${read('tenantwatch.yaml')}\nchecks: { user-mfa-enrolled: { enrolledWhen: mfaStatus } }`)
  pass(aDay)
  await run('sync', '--full')
  const { stdout } = await run('explain', finding.fingerprint)
  expect(stdout).toMatch(
    / {2}changed, \w+: rule changed \(configuration of the check\), enrolledWhenAssumed true -> false$/m,
  )
})
