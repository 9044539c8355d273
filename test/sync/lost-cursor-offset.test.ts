import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { bothSides, type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'

const readings = {
  cursorKind: { users: 'offset', documents: 'offset', apiClients: 'offset' },
  defaultPageSize: { users: 20, documents: 20, apiClients: 10 },
} as const

/** Numbers from 0 up to but not including 1, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Changes a little: mostly deletions, so that offsets overshoot. */
function stir({ sim: { primary } }: TestEngine, next: () => number): void {
  const users = [...primary.state.users()]
  const documents = [...primary.state.documents()]
  const user = users[Math.floor(next() * users.length)]
  const document = documents[Math.floor(next() * documents.length)]
  if (next() < 0.6 && user !== undefined) primary.removeUser(user.userId)
  else primary.addUser()
  if (next() < 0.6 && document !== undefined) primary.removeDocument(document.fileId)
  else primary.addDocument({ uploadStatus: 'Completed' })
}

/** Keys of tombstones whose records the tenant still has. */
function wronglyRemoved(test: TestEngine): unknown[] {
  const { state } = test.sim.primary
  const users = test.query('select user_id as id from users where removed_at is not null order by user_id')
  const documents = test.query('select file_id as id from documents where removed_at is not null order by file_id')
  return [
    ...users.filter(({ id }) => state.user(Number(id)) !== undefined),
    ...documents.filter(({ id }) => state.document(String(id)) !== undefined),
  ]
}

it.each([1, 2, 3, 4, 5, 6])(
  'offset cursors with deletions between pages and incremental syncs lose nothing and remove nothing that is there, seed %i',
  async (seed) => {
    const test = await testEngine({
      readings,
      problems: false,
      sizes: { users: 130, documents: 130 },
      settings: { userDetails: { perRun: 0 }, removals: { maxPercent: 100 } },
    })
    const next = numbers(seed)
    await test.runAll('full')
    const end = test.sim.onRequest(({ endpoint }) => {
      if (endpoint !== '/api/public/users/{id}' && next() < 0.25) stir(test, next)
    })
    for (let round = 0; round < 8; round++) {
      for (const resource of ['users', 'documents'] as const) {
        await test.run(resource, 'incremental')
        if (round % 2 === 1) await test.run(resource, 'full')
        expect(wronglyRemoved(test)).toEqual([])
      }
      test.clock.advance(5 * minuteMs)
    }
    end()
    // What moved under two requests by time in a row is held until the full sync after them confirms it.
    for (let n = 0; n < 3; n++) {
      for (const resource of ['users', 'documents'] as const) {
        const allowed = n === 0 ? ['success', 'shrink_held'] : ['success']
        expect(allowed).toContain(ending(await test.run(resource, 'full')))
      }
    }
    expect(wronglyRemoved(test)).toEqual([])
    const { mirrored, truth } = await bothSides(test, ['users', 'documents'])
    const ids = (records: unknown, field: string) => (records as Record<string, unknown>[]).map((one) => one[field])
    expect(ids(mirrored['users'], 'userId')).toEqual(ids(truth['users'], 'userId'))
    expect(mirrored['documents']).toEqual(truth['documents'])
  },
)
