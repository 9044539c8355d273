import { expect, it } from 'vitest'
import { live } from './lives.ts'
import { itSurvives } from './survives.ts'

itSurvives(3001, 22, 8)

it('a seed is lived again in every detail', async () => {
  const traces: string[] = []
  for await (const { trace } of live([77, 77], { steps: 12, faults: true })) traces.push(trace)
  expect(traces[0]).toBe(traces[1])
}, 300_000)
