import { expect, it } from 'vitest'
import { dayMs } from '../../src/model/time.ts'
import { client, document, role, settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from './support/sqlite-world.ts'

const mfa = 'user-mfa-enrolled'

/** The clock is years ahead for the first readings; then it is corrected, and an answer confirms it. */
async function corrected(read: (world: Awaited<ReturnType<typeof sqliteWorld>>) => Promise<void>) {
  const world = await sqliteWorld()
  world.pass(5 * 365 * dayMs)
  await read(world)
  await world.evaluate()
  world.pass(-5 * 365 * dayMs)
  await world.mirror.noteTime(world.now)
  await read(world)
  await world.mirror.confirmTime(world.now)
  await world.evaluate()
  return world
}

it('a waiver of a finding that was first seen while the clock was ahead lapses when the accepted facts change', async () => {
  const seen = (fields: object = {}) => ({
    'authentication-settings': [settings()],
    users: [user({ state: 'Invited', mfaStatus: false, ...fields })],
  })
  const world = await corrected((one) => one.sync(seen()))
  world.waivers = [waiver()]
  await world.evaluate()
  expect(await world.counts(mfa)).toMatchObject({ waived: { low: 1 } })
  await world.sync(seen({ state: 'Active' }))
  await world.evaluate()
  expect(await world.waiver()).toMatchObject({ state: 'lapsed', covered: 0, lapsed: 1 })
})

it('roles that were first read while the clock was ahead decide once they are read by the right one', async () => {
  const world = await corrected((one) => one.sync({ 'api-clients': [client()], roles: [role()] }))
  expect(await world.counts('api-client-role-active')).toMatchObject({ status: 'pass' })
  expect(world.query('select max(first_complete_at) as at from sync_states')).toEqual([{ at: world.now }])
})

it('data read while the clock was ahead is stale from its correction on, also when the time reaches that of its reading', async () => {
  const world = await sqliteWorld()
  const lists = { 'authentication-settings': [settings()], users: [user()] }
  await world.sync(lists)
  world.pass(dayMs)
  await world.sync(lists)
  world.pass(-dayMs / 2)
  await world.mirror.noteTime(world.now)
  await world.mirror.confirmTime(world.now)
  for (const ms of [0, dayMs / 2]) {
    world.pass(ms)
    await world.evaluate()
    expect(await world.counts(mfa)).toMatchObject({ status: 'unknown' })
  }
})

it('no waiver ends by a server time of long ago, which newer answers have corrected', async () => {
  const world = await sqliteWorld()
  await world.sync({ documents: [document()] })
  // The server's clock was years ahead at the last answer about documents; since then the token may not read them.
  const ahead = 2 * 365 * dayMs
  world.query(
    `update sync_states set server_time = server_time + ${ahead} where resource = 'documents' returning version`,
  )
  const unenrolled = { 'authentication-settings': [settings()], users: [user({ mfaStatus: false })] }
  await world.sync(unenrolled)
  world.waivers = [waiver()]
  await world.evaluate()
  world.pass(30 * dayMs)
  await world.sync(unenrolled)
  await world.evaluate()
  expect(await world.counts(mfa)).toMatchObject({ waived: { high: 1 } })
})

it('a waiver that has ended does not cover again as soon as the clock is set back', async () => {
  const world = await sqliteWorld()
  await world.sync({ 'authentication-settings': [settings()], users: [user({ mfaStatus: false })] })
  await world.evaluate()
  world.waivers = [waiver({ expiresMs: world.now + dayMs })]
  world.pass(2 * dayMs)
  await world.evaluate()
  world.pass(-2 * dayMs)
  expect(await world.counts(mfa)).toMatchObject({ open: { high: 1 }, waived: {} })
  expect((await world.findings(mfa)).map(({ state }) => state)).toEqual(['open'])
})

it('a waiver ends although the clock was set back since a list was last read', async () => {
  const world = await sqliteWorld()
  const unenrolled = { 'authentication-settings': [settings()], users: [user({ mfaStatus: false })] }
  await world.sync({ ...unenrolled, documents: [document()] })
  world.waivers = [waiver({ expiresMs: world.now + 10 * dayMs })]
  await world.evaluate()
  const serverMs = world.now + 20 * dayMs
  world.pass(-60 * dayMs)
  await world.mirror.noteTime(world.now)
  world.pass(20 * dayMs)
  await world.sync(unenrolled)
  world.query(`update sync_states set server_time = ${serverMs} where resource <> 'documents' returning version`)
  await world.evaluate()
  expect((await world.counts(mfa)).waived?.high ?? 0).toBe(0)
})
