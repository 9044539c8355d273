import { html } from 'hono/html'
import type { CheckStatus } from '../../model/check-status.ts'
import type { Severity } from '../../model/severity.ts'
import type { ResourceState } from '../data-quality.ts'
import type { Html } from './text.ts'

/** Colour of a word; colour never carries information alone. */
export type Tone = 'bad' | 'warn' | 'unknown' | 'good' | 'quiet' | 'own'

export function badge(word: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${word}</span>`
}

type Tones<Word extends string> = Readonly<Record<Word, Tone>>

export const statusTone: Tones<CheckStatus> = { fail: 'bad', unknown: 'unknown', pass: 'good', not_applicable: 'quiet' }

/** The status in words. */
export function statusWord(status: CheckStatus): string {
  return status.replace('_', ' ')
}

export const severityTone: Tones<Severity> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
  info: 'quiet',
}

export const stateTone: Tones<ResourceState> = {
  on_hold: 'bad',
  unauthorised: 'bad',
  never: 'unknown',
  stale: 'unknown',
  quarantined: 'warn',
  missing: 'warn',
  failing: 'warn',
  fresh: 'good',
}
