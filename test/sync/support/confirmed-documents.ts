import { expect } from 'vitest'
import { hourMs } from '../../../src/model/durations.ts'
import type { Envelope } from '../../../src/simulator/index.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from '../../support/engine.ts'
import { startTime } from '../../support/fake-clock.ts'
import { ending } from '../../support/sync-queries.ts'

export const path = '/api/public/documents'
type Row = { readonly fileId: string; readonly updatedAt: string | null }

/** A tenant whose first full sync of documents is complete; updates lie an hour apart. */
export async function tenant(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 30 },
    settings: { userDetails: { perRun: 0 } },
    ...options,
  })
  for (const [n, { fileId }] of [...test.sim.state().documents()].entries()) {
    test.sim.primary.updateDocument(fileId, {
      createdAt: startTime - 999 * hourMs,
      updatedAt: startTime - (99 - n) * hourMs,
    })
  }
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  return test
}

export const ids = ({ sim }: TestEngine) => [...sim.state().documents()].map(({ fileId }) => fileId)

export async function full(test: TestEngine) {
  test.clock.advance(hourMs)
  test.sim.requests.clear()
  return test.run('documents', 'full')
}

export const confirmations = ({ sim }: TestEngine) =>
  sim.requests.filter(({ path: asked, query }) => asked === path && 'updatedAfter' in query)

/** Takes documents out of the answers, of all requests or of those without `updatedAfter` and what follows them. */
export function hide(test: TestEngine, hidden: readonly string[], by: 'list' | 'time' | 'all'): void {
  let byTime = false
  test.sim.onRequest(({ path: asked, query }) => {
    if (asked === path && !('cursor' in query)) byTime = 'updatedAfter' in query
  })
  const transform = (envelope: Envelope) => {
    if (by !== 'all' && byTime !== (by === 'time')) return envelope
    return { ...envelope, data: (envelope.data as Row[]).filter(({ fileId }) => !hidden.includes(fileId)) }
  }
  test.sim.faults.add({ path, effect: { kind: 'transform', transform } })
}
