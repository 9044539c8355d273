import { expect, it } from 'vitest'
import { call, code, fullSync, record, start, startTime } from './support.ts'

const valid = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', roleId: 101 }

async function create(simulator: Awaited<ReturnType<typeof start>>, json: unknown) {
  return call(simulator, '/users', { token: 'creator', method: 'POST', json })
}

it('creates an invited user with role id and name, last in the list', async () => {
  const simulator = await start()
  const answer = await create(simulator, valid)
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject({ pagination: null, error: null })
  expect(record(answer)).toMatchObject({
    ...valid,
    state: 'Invited',
    roleName: 'Member',
    createdAt: new Date(startTime).toISOString(),
  })
  const { records: users } = await fullSync(simulator, '/users')
  expect(users.at(-1)).toEqual({ ...record(answer), roleId: null })
  expect(simulator.primary.users.records.size).toBe(251)
})

it.each<[json: unknown, problems: number]>([
  [{}, 4],
  [{ ...valid, firstName: '   ' }, 1],
  [{ ...valid, lastName: 'x'.repeat(101) }, 1],
  [{ ...valid, firstName: 7 }, 1],
  [{ ...valid, email: 'ada@example' }, 1],
  [{ ...valid, email: `${'a'.repeat(250)}@example.org` }, 1],
  [{ ...valid, roleId: '101' }, 1],
  [{ ...valid, roleId: 424_242 }, 1],
  [{ email: 'nobody', roleId: 0 }, 4],
])('names every field of %j that is missing, too long or malformed in one 422', async (json, problems) => {
  const simulator = await start()
  const answer = await create(simulator, json)
  const { details } = answer.body.error as { details: string[] }
  expect([answer.status, code(answer), details.length]).toEqual([422, 'VALIDATION_FAILED', problems])
  expect(simulator.primary.users.records.size).toBe(250)
})

it('takes only active roles of type User of the own tenant', async () => {
  const simulator = await start()
  const named = (wanted: string) => simulator.primary.roles.all().find(({ name }) => name === wanted)?.roleId
  const foreign = simulator.second.roles.add({ roleId: 31_337 })
  for (const roleId of [named('Compliance Reader'), named('Former contractor'), foreign.roleId]) {
    expect((await create(simulator, { ...valid, roleId })).status).toBe(422)
  }
})

it('answers 409 to an address in use whatever its case, seeded, changed or just created', async () => {
  const simulator = await start()
  const [seeded, other] = simulator.primary.users.all()
  simulator.primary.users.update(Number(other?.userId), { email: 'Changed@Example.org' })
  expect((await create(simulator, valid)).status).toBe(201)
  for (const email of [seeded?.email.toUpperCase(), 'cHANGED@example.ORG', valid.email]) {
    const answer = await create(simulator, { ...valid, email })
    expect([email, answer.status, code(answer)]).toEqual([email, 409, 'CONFLICT'])
  }
})
