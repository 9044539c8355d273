import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'

const sizes = { users: 12, documents: 12 }
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

it('stores no change for a first full sync, only the time and request at which each record was first seen', async () => {
  const test = await testEngine({ sizes, readings: { defaultPageSize: { users: 5 } } })
  await test.runAll()
  expect(seenChanges(test.query)).toEqual([])
  const rows = test.query('select first_seen_at, request_id from users')
  expect(rows).toHaveLength(12)
  expect(new Set(rows.map((row) => row['request_id'])).size).toBe(3)
  for (const row of rows) {
    expect(row).toMatchObject({ first_seen_at: test.clock.now(), request_id: expect.stringMatching(guid) })
  }
})

it('records later creations, changes and removals with their time and request', async () => {
  const test = await testEngine({ problems: false, sizes, settings: { userDetails: { perRun: 0 } } })
  await test.runAll()
  const { sim, clock } = test
  const [user, leaver] = [...sim.primary.users.all()]
  const [document] = [...sim.primary.documents.all()]
  clock.advance(hourMs)
  sim.primary.users.update(user?.userId ?? 0, { mfaStatus: false, state: 'Suspended' })
  sim.primary.users.remove(leaver?.userId ?? 0)
  const joined = sim.primary.users.add()
  sim.primary.documents.update(document?.fileId ?? '', { filename: 'other.pdf' })
  const [role] = [...sim.primary.roles.all()]
  sim.primary.roles.update(role?.roleId ?? 0, { state: 'Inactive' })
  sim.primary['authentication-settings'].update(0, { mfaEnabled: false, providerType: 'Entra', ssoEnforced: false })
  const seen: Record<string, string[]> = {}
  for (const resource of ['users', 'documents', 'roles', 'authentication-settings'] as const) {
    await test.run(resource, 'full')
    const rows = seenChanges(test.query).filter((row) => row.resource === resource)
    for (const row of rows) expect(row).toMatchObject({ at: clock.now(), requestId: expect.stringMatching(guid) })
    seen[resource] = rows.map(({ key, kind, field, before, after }) => [key, kind, field, before, after].join(' '))
  }
  expect(seen['users']?.toSorted()).toEqual(
    [
      `${user?.userId} changed state "Active" "Suspended"`,
      `${user?.userId} changed mfaStatus true false`,
      `${joined.userId} created   `,
      `${leaver?.userId} removed   `,
    ].toSorted(),
  )
  expect(seen['documents']).toContain(`${document?.fileId} changed filename "${document?.filename}" "other.pdf"`)
  expect(seen['roles']).toEqual([`${role?.roleId} changed state "Active" "Inactive"`])
  expect(seen['authentication-settings']?.map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual([
    '0 changed ssoEnforced',
    '0 changed providerType',
    '0 changed mfaEnabled',
  ])
})

it('knows of each record the request that brought its present values', async () => {
  const test = await testEngine({ sizes, settings: { userDetails: { perRun: 0 } } })
  await test.run('users', 'full')
  const [user, other] = [...test.sim.primary.users.all()]
  const of = (userId = 0) => test.query('select request_id, read_at from users where user_id = ?', userId)[0]
  const [before, beforeOther] = [of(user?.userId), of(other?.userId)]
  test.clock.advance(hourMs)
  test.sim.primary.users.update(user?.userId ?? 0, { firstName: 'Changed' })
  await test.run('users', 'full')
  expect(of(user?.userId)).toEqual({ request_id: expect.stringMatching(guid), read_at: test.clock.now() })
  expect(of(user?.userId)?.['request_id']).not.toBe(before?.['request_id'])
  expect(of(other?.userId)).toEqual(beforeOther)
})
