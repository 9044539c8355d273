import { expect, it } from 'vitest'
import type { Fetched } from '../../src/api/reader.ts'
import { users } from '../../src/resources/users.ts'
import { type PagesAhead, pagesAhead } from '../../src/sync/feeds/feed-reading.ts'
import type { Run } from '../../src/sync/run.ts'
import { testEngine } from '../support/engine.ts'

const page = (nextCursor: string): Fetched => ({
  items: [],
  nextCursor,
  hasMore: true,
  meta: { requestId: null, serverTime: null, receivedAt: 0, receivedMonotonic: 0, identity: 1, credential: '' },
})

/** Pages ahead of a feed whose answers the test releases. */
function opened(verified: readonly boolean[] = []) {
  const asked: { readonly cursor: string | undefined; readonly signal: AbortSignal }[] = []
  const answers: PromiseWithResolvers<Fetched>[] = []
  const reader = {
    fetch(_resource: unknown, { cursor }: { cursor?: string }, signal: AbortSignal) {
      const answer = Promise.withResolvers<Fetched>()
      signal.addEventListener('abort', () => answer.reject(new Error('aborted')))
      asked.push({ cursor, signal })
      answers.push(answer)
      return answer.promise
    },
  }
  const checkResults = [...verified]
  const guard = { verify: async () => checkResults.shift() ?? true }
  const run = { context: { reader }, definition: users, guard, signal: new AbortController().signal } as unknown as Run
  const ahead: PagesAhead = pagesAhead(run)
  return { ahead, asked, answers }
}

it('has asked for the page when it has begun, and asks for it once', async () => {
  const { ahead, asked, answers } = opened()
  await ahead.begin('c1')
  expect(asked.map(({ cursor }) => cursor)).toEqual(['c1'])
  const taken = ahead.take('c1')
  answers[0]?.resolve(page('c2'))
  expect((await taken).nextCursor).toBe('c2')
  expect(asked).toHaveLength(1)
})

it('asks again for a page that is not the one begun, and for one that was read under an older identity', async () => {
  const other = opened()
  await other.ahead.begin('c1')
  const taken = other.ahead.take('c9')
  other.answers[1]?.resolve(page('c10'))
  expect((await taken).nextCursor).toBe('c10')
  const older = opened([false])
  await older.ahead.begin('c1')
  older.answers[0]?.resolve(page('old'))
  const again = older.ahead.take('c1')
  await expect.poll(() => older.answers.length, { timeout: 60_000 }).toBe(2)
  older.answers[1]?.resolve(page('new'))
  expect((await again).nextCursor).toBe('new')
})

it('reports a failure when its page is taken, and ignores failures of pages that are not', async () => {
  const { ahead, answers } = opened()
  await ahead.begin('c1')
  answers[0]?.reject(new Error('refused'))
  await ahead.begin('c2')
  answers[1]?.reject(new Error('broken'))
  await expect(ahead.take('c2')).rejects.toThrow('broken')
})

it('ends the request under way when it is disposed', async () => {
  const { ahead, asked } = opened()
  await ahead.begin('c1')
  await ahead[Symbol.asyncDispose]()
  expect(asked[0]?.signal.aborted).toBe(true)
})

it('writes a page although the next one fails, and continues after it', async () => {
  const test = await testEngine({
    sizes: { users: 23, documents: 4 },
    readings: { defaultPageSize: { users: 5 } },
    settings: { userDetails: { perRun: 0 } },
  })
  const mirrored = () => test.query('select count(*) as n from users')[0]?.['n']
  test.sim.faults.add({ path: '/api/public/users', page: 3, times: 5, effect: { kind: 'status', status: 500 } })
  expect(await test.run('users', 'full')).toMatchObject({ reason: 'server_error', pages: 2 })
  expect(mirrored()).toBe(10)
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', pages: 3 })
  expect(mirrored()).toBe(23)
})

it('sends nothing behind a page that breaks a rule', async () => {
  const test = await testEngine({ sizes: { users: 23, documents: 4 }, readings: { defaultPageSize: { users: 5 } } })
  test.sim.faults.add({ path: '/api/public/users', page: 2, effect: { kind: 'repeat-cursor' } })
  expect(await test.run('users', 'full')).toMatchObject({ reason: 'protocol' })
  expect(test.sim.requests.filter(({ endpoint }) => endpoint === '/api/public/users')).toHaveLength(2)
})
