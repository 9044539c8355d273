import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ofData } from '../support/of-data.ts'

type Fields = Record<string, unknown>

async function fullySynced(page = 5): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { users: 12, documents: 12, apiClients: 6, roles: 6 },
    readings: { defaultPageSize: { users: page, documents: page, apiClients: 3 } },
    settings: { userDetails: { perRun: 0 } },
  })
  await test.runAll('full')
  test.observed.events.length = 0
  test.clock.advance(hourMs)
  return test
}

/** Changes the records of one page: the first, or the one behind a cursor. */
function reshape(
  test: TestEngine,
  resource: string,
  page: number,
  change: (data: Fields[]) => readonly Fields[],
): void {
  test.sim.faults.add({
    path: `/api/public/${resource}`,
    ...(page === 1 ? { page } : { hasCursor: true }),
    effect: ofData((data: Fields[]) => change(data.toSorted(byNumber))),
  })
}

/** Changes the page that comes first, however often it is read: while it is read again the next one is on its way. */
function onOnePage(change: (data: Fields[]) => readonly Fields[]): (data: Fields[]) => readonly Fields[] {
  let first: string | undefined
  return (data) => {
    first ??= JSON.stringify(data[0])
    return JSON.stringify(data[0]) === first ? change(data) : data
  }
}

/** Roles and permissions come in another order with each answer. */
function byNumber(a: Fields, b: Fields): number {
  const number = ({ roleId, permissionId }: Fields) => Number(roleId ?? permissionId ?? 0)
  return number(a) - number(b)
}

const held = (test: TestEngine) =>
  test
    .query('select resource, problem from quarantine order by resource, key')
    .map(({ resource, problem }) => `${resource} ${problem}`)

const cases = [
  ['users', 'users', 'mfaStatus', true, false],
  ['documents', 'documents', 'filename', 'One.pdf', 'Two.pdf'],
  ['api-clients', 'api_clients', 'secretExpirationDate', '2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
  ['roles', 'roles', 'permissions', [], [{ permissionId: 1, name: 'a', module: 'b', function: 'c', code: 'D' }]],
  ['permissions', 'permissions', 'code', 'Api_A_Read', 'Api_B_Read'],
] as const

it.each(cases.flatMap((one) => [[...one, 'first'] as const, [...one, 'last'] as const]))(
  'quarantines two %s of one id in one answer that contradict each other (%s, %s, %j and %j), the true one %s',
  async (resource, table, field, one, other, order) => {
    const test = await fullySynced()
    const before = test.query(`select * from ${table} order by rid`)
    reshape(test, resource, 1, ([first = {}, ...rest]) => {
      const pair = [one, other].map((value) => ({ ...first, [field]: value }))
      return [...(order === 'first' ? pair : pair.toReversed()), ...rest]
    })
    for (const _ of [1, 2]) {
      const { outcome, counts } = await test.run(resource, 'full')
      expect([outcome, counts.quarantined, counts.removed]).toEqual(['success', 1, 0])
      expect(held(test)).toEqual([`${resource} contradictory: ${field} differs between records with this id`])
    }
    // The known record keeps its last good version and counts as seen.
    expect(test.query(`select * from ${table} order by rid`)).toEqual(before)
    expect(test.observed.events).toEqual([`${resource} contradictory`, `${resource} contradictory`])
    test.sim.faults.clear()
    await test.run(resource, 'full')
    expect(held(test)).toEqual([])
  },
)

it.each(cases.slice(0, 3))(
  'quarantines one of %s that comes on two pages of a full sync with another value (%s, %s)',
  async (resource, table, field, one, other) => {
    const test = await fullySynced()
    const shown: Fields[] = []
    reshape(test, resource, 1, (data) => {
      shown.splice(0, 1, data[0] ?? {})
      return data
    })
    const twin = () => ({ ...shown[0], [field]: shown[0]?.[field] === one ? other : one })
    reshape(
      test,
      resource,
      2,
      onOnePage((data) => [twin(), ...data]),
    )
    const { outcome, counts } = await test.run(resource, 'full')
    expect([outcome, counts.quarantined, counts.updated]).toEqual(['success', 1, 0])
    expect(held(test)).toEqual([`${resource} contradictory: ${field} differs between records with this id`])
    expect(test.observed.events).toContain(`${resource} contradictory`)
    expect(test.query(`select count(*) as n from ${table} where absent_full_syncs > 0`)).toEqual([{ n: 0 }])
    test.sim.faults.clear()
    await test.run(resource, 'full')
    expect(held(test)).toEqual([])
  },
)

it.each([
  ['first', [1, 2]],
  ['last', [2, 1]],
])('takes of two documents of one id the one that was updated later, which comes %s', async (_, order) => {
  const test = await fullySynced()
  reshape(test, 'documents', 1, ([first = {}, ...rest]) => {
    const at = (n: number) => ({ ...first, uploadStatus: `Status ${n}`, updatedAt: `2026-01-0${n}T00:00:00Z` })
    return [...order.map(at), at(1), ...rest]
  })
  expect(await test.run('documents', 'full')).toMatchObject({ counts: { updated: 1, quarantined: 0 } })
  const rows = test.query("select upload_status from documents where upload_status like 'Status%'")
  expect(rows).toEqual([{ upload_status: 'Status 2' }])
  expect(held(test)).toEqual([])
})

it('merges identical repeats, also those that differ only in fields that no check reads or in the format of a date', async () => {
  const test = await fullySynced()
  reshape(test, 'users', 1, ([first = {}, ...rest]) => {
    const sameTime = String(first['createdAt']).replace('Z', '+00:00')
    return [first, { ...first, firstName: 'Other' }, { ...first, createdAt: sameTime }, ...rest]
  })
  expect(await test.run('users', 'full')).toMatchObject({ counts: { quarantined: 0, updated: 0, removed: 0 } })
  expect(held(test)).toEqual([])
})

/** A tenant of one page a list, whose stored cursor returns a version of the first record that `change` makes. */
async function replaying(resource: 'documents' | 'users', change: (first: Fields) => Fields): Promise<TestEngine> {
  const test = await fullySynced(50)
  let first: Fields = {}
  reshape(test, resource, 1, (data) => {
    first = data[0] ?? {}
    return data
  })
  await test.run(resource, 'full')
  test.sim.faults.clear()
  reshape(test, resource, 2, (data) => [change(first), ...data.filter(({ userId }) => userId !== first['userId'])])
  return test
}

it('quarantines a user whom the stored cursor returns with another value than the list, until a full sync agrees', async () => {
  const test = await replaying('users', (user) => ({ ...user, mfaStatus: user['mfaStatus'] !== true }))
  const problem = 'users contradictory: mfaStatus differs between records with this id'
  await test.run('users', 'full')
  expect(held(test)).toEqual([problem])
  await test.run('users', 'incremental')
  expect(held(test)).toEqual([problem])
  test.sim.faults.clear()
  await test.run('users', 'full')
  expect(held(test)).toEqual([])
})

it.each([
  ['older', '2020-01-01T00:00:00Z', 0],
  ['later', '2026-01-20T00:00:00Z', 1],
] as const)(
  'takes no version of a document from the stored cursor that is older than the mirrored one: %s',
  async (_, updatedAt, changed) => {
    const test = await replaying('documents', (document) => ({ ...document, uploadStatus: 'Other', updatedAt }))
    const count = () => test.query("select count(*) as n from documents where upload_status = 'Other'")
    await test.run('documents', 'incremental')
    expect(count()).toEqual([{ n: changed }])
    await test.run('documents', 'full')
    expect([count(), held(test)]).toEqual([[{ n: changed }], []])
  },
)
