import { z } from 'zod'
import { dayMs, hourMs } from '../model/durations.ts'
import type { TenantSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { duration, numberBetween, text, wholeNumber } from './yaml/leaves.ts'
import { readSection } from './yaml/section.ts'

const million = 1_000_000
const wantedStatuses = 'want a list of document statuses, such as [Completed, Processing]; null may be one'

const sections = {
  userDetails: { perRun: wholeNumber(0, million).optional(), concurrency: wholeNumber(1, 64).optional() },
  documents: {
    overlap: duration(365 * dayMs, '365d').optional(),
    knownStatuses: z
      .array(text('want a text or null').nullable(), { error: wantedStatuses })
      .min(1, { error: wantedStatuses })
      .optional(),
  },
  removals: {
    maxPercent: numberBetween(0, 100).optional(),
    maxCount: wholeNumber(0, million).optional(),
    confirmPerRun: wholeNumber(1, million).optional(),
  },
}

/** Reads `userDetails`, `documents` and `removals`, which apply to every tenant. */
export function readLimits(
  raw: Readonly<Record<string, unknown>>,
  { report }: Context,
): Pick<TenantSettings, 'userDetails' | 'documents' | 'removals'> {
  const { overlap = hourMs, knownStatuses = ['Completed', 'Processing'] } = readSection(
    sections.documents,
    raw['documents'],
    ['documents'],
    report,
  )
  const userDetails = readSection(sections.userDetails, raw['userDetails'], ['userDetails'], report)
  const removals = readSection(sections.removals, raw['removals'], ['removals'], report)
  return {
    userDetails: { perRun: 200, concurrency: 4, ...userDetails },
    documents: { overlapMs: overlap, knownStatuses: [...new Set(knownStatuses)] },
    removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000, ...removals },
  }
}
