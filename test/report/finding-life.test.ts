import { expect, it } from 'vitest'
import { type ExplainedEvent, eventLines } from '../../src/report/life.ts'

const event = (at: string, change: Partial<ExplainedEvent>): ExplainedEvent => ({
  at,
  event: 'changed',
  severity: 'high',
  message: 'User 7 is not enrolled.',
  resolution: null,
  evidence: {},
  changes: [],
  ...change,
})

it('says the same words once, with their number and the last time', () => {
  const life = [
    event('2026-03-01', { event: 'opened' }),
    event('2026-03-09', {}),
    event('2026-03-10', {}),
    event('2026-03-11', {}),
    event('2026-03-12', { changes: [{ fact: 'roleName', before: 'A', after: 'B' }] }),
  ]
  expect(eventLines(life)).toEqual([
    '  2026-03-01  opened, high: User 7 is not enrolled.',
    '  2026-03-09  changed, high: read again with the same facts (3 times, last 2026-03-11)',
    '  2026-03-12  changed, high: roleName "A" -> "B"',
  ])
})
