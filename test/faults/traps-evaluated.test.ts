import { expect, it } from 'vitest'
import type { CheckStatus } from '../../src/model/check-status.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/durations.ts'
import { resources } from '../../src/resources/index.ts'
import { type Scene, startScene } from './support/scene.ts'
import * as wire from './support/wire.ts'

interface Trap {
  readonly id: string
  readonly what: string
  readonly change: (scene: Scene) => void
  /** Time between what happened and the cycle that must show it; default none. */
  readonly laterMs?: number
  readonly statuses: Readonly<Record<string, CheckStatus>>
}

const primaryOf = ({ test }: Scene) => test.sim.primary

const traps: readonly Trap[] = [
  {
    id: 'S8',
    what: 'a second factor that is required and not yet enrolled is none',
    change: (scene) => primaryOf(scene).addUser({ mfaStatus: false, mfaAction: true }),
    statuses: { 'user-mfa-enrolled': 'fail' },
  },
  {
    id: 'S9',
    what: 'no policy for a second factor fails by itself, and excuses nobody silently',
    change: (scene) => primaryOf(scene).setSettings({ mfaEnabled: false, ssoEnabled: false, ssoEnforced: false }),
    statuses: { 'auth-mfa-policy-enabled': 'fail', 'user-mfa-enrolled': 'not_applicable', 'auth-sso-enforced': 'fail' },
  },
  {
    id: 'S10',
    what: 'a document without a status is not a completed one',
    change: (scene) => primaryOf(scene).addDocument({ uploadStatus: null }),
    laterMs: dayMs + hourMs,
    statuses: { 'document-status-known': 'fail', 'document-processing-finished': 'pass' },
  },
  {
    id: 'S11',
    what: 'a document that is processed for ever',
    change: (scene) => primaryOf(scene).addDocument({ uploadStatus: 'Processing' }),
    laterMs: dayMs + hourMs,
    statuses: { 'document-processing-finished': 'fail' },
  },
  {
    id: 'S16',
    what: 'a role that is listed although it is switched off gives nobody rights',
    change(scene) {
      const { roleId } = primaryOf(scene).addRole({ state: 'Inactive' })
      primaryOf(scene).addUser({ roleId })
    },
    statuses: { 'user-role-active': 'fail' },
  },
  {
    id: 'S17',
    what: 'the own client has more than read permissions',
    change(scene) {
      const { test } = scene
      const { clientId } = test.sim.credentials.reader
      const code = 'Api_Users_Create'
      const { name: roleName } = primaryOf(scene).addRole({ name: 'Too much', permissions: [code] })
      primaryOf(scene).updateApiClient(clientId, { roleName })
    },
    statuses: { 'api-client-least-privilege': 'fail' },
  },
  {
    id: 'S21',
    what: 'two documents of one name are two',
    change(scene) {
      for (const uploadStatus of ['Completed', 'Completed']) {
        primaryOf(scene).addDocument({ filename: 'twice.pdf', uploadStatus })
      }
    },
    statuses: { 'document-name-unique': 'fail' },
  },
]

it.each(traps.map((trap) => [`${trap.id} ${trap.what}`, trap] as const))(
  '%s',
  async (_, { change, laterMs = 0, statuses }) => {
    const scene = await startScene()
    const { test } = scene
    primaryOf(scene).setSettings({ mfaEnabled: true, ssoEnabled: true, ssoEnforced: true })
    await scene.cycle()
    const before = await scene.stored()
    for (const check of Object.keys(statuses)) expect([check, before[check]]).toEqual([check, 'pass'])
    change(scene)
    await scene.cycle()
    test.clock.advance(laterMs)
    const results = await scene.cycle()
    expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
    expect(await scene.stored()).toMatchObject(statuses)
    scene.assertManners()
  },
)

it.each([
  ['nothing', []],
  ['no record', ['Api_Users_Read', 'Api_ApiClients_Read', 'Api_Documents_Read']],
] as const)('A6 the sound policy of another tenant, whose token lacks %s, turns no check green', async (_, lacking) => {
  const scene = await startScene()
  const { test } = scene
  primaryOf(scene).setSettings({ mfaEnabled: false, ssoEnabled: true, ssoEnforced: false })
  test.sim.second.setSettings({ mfaEnabled: true, ssoEnabled: true, ssoEnforced: true })
  for (const code of lacking) test.sim.revokePermission('secondReader', code)
  await scene.cycle()
  const [facts, findings] = [scene.facts(), await scene.findings()]
  expect(findings).toEqual(
    expect.arrayContaining([
      'auth-mfa-policy-enabled authentication-settings',
      'auth-sso-enforced authentication-settings',
    ]),
  )
  test.useToken(test.sim.tokens.secondReader)
  for (let cycle = 0; cycle < 3; cycle++) {
    test.clock.advance(5 * minuteMs)
    const results = await scene.cycle()
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'failure'))
    expect(results.at(-1)?.reason).toBe('tenant_changed')
    expect(new Set(Object.values(await scene.shown()))).toEqual(new Set(['unknown']))
    expect([scene.facts(), await scene.findings()]).toEqual([facts, findings])
  }
  test.useToken(test.sim.tokens.reader)
  test.clock.advance(5 * minuteMs)
  await scene.cycle()
  expect(await scene.stored()).toMatchObject({ 'auth-mfa-policy-enabled': 'fail', 'auth-sso-enforced': 'fail' })
  scene.assertManners()
})

it('S4 a user whose role has the name of two, of which one is switched off, is looked up, and not evaluated meanwhile', async () => {
  const scene = await startScene({ settings: { userDetails: { perRun: 100 } } })
  const { test, server } = scene
  await scene.cycle()
  const off = primaryOf(scene).addRole({ name: 'Twin', state: 'Inactive' })
  primaryOf(scene).addRole({ name: 'Twin', state: 'Active' })
  primaryOf(scene).addUser({ roleId: off.roleId })
  server.choose = ({ path }) => (/\/users\/\d+$/.test(path) ? wire.problem(500, 'INTERNAL_ERROR') : undefined)
  await scene.cycle()
  expect((await scene.stored())['user-role-active']).toBe('unknown')
  server.choose = () => undefined
  test.clock.advance(hourMs)
  await scene.cycle()
  expect((await scene.stored())['user-role-active']).toBe('fail')
  scene.assertManners()
})

it('S12 a document that was never updated, and that no answer by time shows, comes with the full sync after a lost cursor', async () => {
  const readings = { updatedAfterNulls: 'exclude' } as const
  const scene = await startScene({ readings })
  const { test } = scene
  await scene.cycle()
  test.clock.advance(10 * minuteMs)
  const { fileId } = primaryOf(scene).addDocument({ updatedAt: null, uploadStatus: 'Completed' })
  test.sim.faults.add({
    path: '/api/public/documents',
    hasCursor: true,
    times: 1,
    effect: { kind: 'status', status: 400 },
  })
  expect((await test.run('documents', 'incremental')).outcome).toBe('success')
  expect(test.query('select count(*) as n from documents where file_id = ?', fileId)).toEqual([{ n: 1 }])
  scene.assertManners()
})
