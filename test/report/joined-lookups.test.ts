import { expect, it } from 'vitest'
import { joinedLookups } from '../../src/report/joined-lookups.ts'
import type { ChangeRow } from '../../src/store/records/query.ts'

type Step = readonly [key: string, at: number, field: string, before: unknown, after: unknown]

const rowsOf = (steps: readonly Step[]): readonly ChangeRow[] =>
  steps.map(([key, at, field, before, after], i) => {
    return { id: i + 1, resource: 'users', key, at, kind: 'changed', field, before, after, requestId: `r${i + 1}` }
  })

async function joined(...steps: readonly Step[]) {
  const rows = rowsOf(steps)
  const join = await joinedLookups(
    (resource, field) => [rows.filter((one) => one.resource === resource && one.field === field)],
    ({ key }) => key,
  )
  return rows
    .flatMap((row) => join(row) ?? [])
    .filter(({ field }) => field === 'roleId')
    .map(({ key, at, before, after, requestId }) => [key, at, before, after, requestId])
}

it('joins the drop of an id and its look-up, each user by itself', async () => {
  const found = await joined(
    ['1', 10, 'roleId', 7, null],
    ['1', 10, 'roleName', 'Member', 'Auditor'],
    ['2', 10, 'roleId', 8, null],
    ['2', 10, 'roleName', 'Auditor', 'Member'],
    ['2', 11, 'roleId', null, 7],
    ['1', 12, 'roleId', null, 8],
  )
  expect(found).toEqual([
    ['2', 11, 8, 7, 'r5'],
    ['1', 12, 7, 8, 'r6'],
  ])
})

it('has no change of the id where the role was only renamed', async () => {
  expect(
    await joined(['1', 10, 'roleId', 7, null], ['1', 10, 'roleName', 'A', 'B'], ['1', 12, 'roleId', null, 7]),
  ).toEqual([])
})

it('keeps a time without a role, and an id that is not looked up yet', async () => {
  const steps: readonly Step[] = [
    ['1', 10, 'roleId', 7, null],
    ['1', 10, 'roleName', 'Member', null],
    ['1', 20, 'roleName', null, 'Auditor'],
    ['1', 21, 'roleId', null, 8],
    ['2', 30, 'roleId', 7, null],
    ['2', 30, 'roleName', 'Member', 'Auditor'],
  ]
  expect(await joined(...steps)).toEqual([
    ['1', 10, 7, null, 'r1'],
    ['1', 21, null, 8, 'r4'],
    ['2', 30, 7, null, 'r5'],
  ])
})

it('keeps a look-up whose drop was erased after the retention', async () => {
  expect(await joined(['1', 12, 'roleId', null, 8])).toEqual([['1', 12, null, 8, 'r1']])
})
