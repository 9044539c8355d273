import { expect, it } from 'vitest'
import { againstTarget } from '../../bench/support/print.ts'
import { flatness } from '../../bench/support/soak-samples.ts'
import { percentile } from '../../bench/support/statistics.ts'
import { firstUserId, tenantAnswers } from '../../bench/support/tenant-answers.ts'

const startedAt = Date.UTC(2026, 0, 1)

it('interpolates percentiles', () => {
  expect(percentile([4, 1, 3, 2], 50)).toBe(2.5)
  expect(percentile([1, 2, 3], 100)).toBe(3)
  expect(percentile([], 50)).toBeNaN()
})

it('calls a soak flat when memory rises and falls, and not when the database grows', () => {
  const at = (i: number, storeMiB: number) => ({ at: i, rssMiB: 100, heapMiB: 20 + (i % 7) * 10, fds: 40, storeMiB })
  const checkResults = (grow: number) => flatness(Array.from({ length: 200 }, (_, i) => at(i, 6 + i * grow)))
  expect(checkResults(0).filter(({ flat }) => !flat)).toEqual([])
  expect(checkResults(0.02).flatMap(({ name, flat }) => (flat ? [] : [name]))).toEqual(['storeMiB'])
})

it('compares values with the greatest and the least that a target allows; a missing value misses both', () => {
  const marks = (target: Parameters<typeof againstTarget>[1]) =>
    [1, 2, 3, Number.NaN].map((value) => againstTarget(value, target)[1])
  expect(marks({ atMost: 2 })).toEqual(['met', 'met', 'MISSED', 'MISSED'])
  expect(marks({ atLeast: 2 })).toEqual(['MISSED', 'met', 'met', 'MISSED'])
  expect(marks(undefined)).toEqual(['', '', '', ''])
})

function reader(changed: boolean) {
  const answers = tenantAnswers({ tenant: 7, users: 450, changed }, startedAt)
  return (path: string, cursor: string | null) => {
    const { status, beginning } = answers(path, cursor)
    return { status, ...JSON.parse(`${beginning}null}`) }
  }
}

function usersOf(read: ReturnType<typeof reader>) {
  const first = read('users', null)
  const second = read('users', first.pagination.nextCursor)
  const last = read('users', second.pagination.nextCursor)
  return { users: [...first.data, ...second.data, ...last.data], last }
}

it('serves every user by cursor, up to a last page whose cursor leads to an empty one', () => {
  const read = reader(false)
  const { users, last } = usersOf(read)
  expect(users.map(({ userId }) => userId)).toEqual(Array.from({ length: 450 }, (_, index) => firstUserId + index))
  expect(last.pagination.hasMore).toBe(false)
  expect(read('users', last.pagination.nextCursor)).toMatchObject({ data: [], pagination: { hasMore: false } })
  expect(read('users', 'no cursor').status).toBe(400)
  expect(read(`users/${firstUserId}`, null).data).toMatchObject({ ...users[0], roleId: 1 })
  expect(read(`users/${firstUserId + 450}`, null).status).toBe(404)
})

it('changes one user in a hundred', () => {
  const [before, after] = [false, true].map((changed) =>
    usersOf(reader(changed)).users.map((user) => JSON.stringify(user)),
  )
  expect(after?.filter((user, i) => user !== before?.[i]).length).toBe(5)
})
