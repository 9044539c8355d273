import { expect, it } from 'vitest'
import { emptyWorld, evaluate } from '../evaluate/support/evaluating.ts'
import { document } from './support/facts.ts'

const id = 'document-required-present'
const requirements = [{ id: 'soc2', pattern: '*', maxAgeDays: null }]

// sync.md 15: known values without letter case and outer space; documents.ts compares the same list by isKnownWord.
it.each([
  ['as configured in another letter case', 'Completed', ['completed']],
  ['an own status that the server writes in another letter case', 'approved', ['Approved']],
])('meets a requirement by a status %s', async (_, uploadStatus, statuses) => {
  const world = await emptyWorld()
  await world.put('documents', document({ uploadStatus }))
  const changes = {
    documents: { overlapMs: 0, knownStatuses: ['Completed', 'Processing', 'Approved'] },
    checks: { [id]: { options: { requirements, statuses } } },
  }
  expect((await evaluate(world, { changes: changes as never })).get(id)).toMatchObject({ status: 'pass' })
})
