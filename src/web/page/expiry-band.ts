import { dayMs } from '../../model/durations.ts'
import type { Tone } from './badge.ts'

/** Range of the time line of secrets. */
export const nearDays = 90

export interface ExpiryBand {
  readonly word: string
  readonly tone: Tone
}

const bands: readonly (readonly [days: number, band: ExpiryBand])[] = [
  [0, { word: 'expired', tone: 'bad' }],
  [7, { word: 'within 7 days', tone: 'bad' }],
  [30, { word: 'within 30 days', tone: 'warn' }],
]

/** Remaining time of a secret as word and colour. */
export function expiryBand(remainingMs: number): ExpiryBand {
  const found = bands.find(([days]) => remainingMs <= days * dayMs)
  return found?.[1] ?? { word: 'valid', tone: 'good' }
}
