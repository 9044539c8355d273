import { html } from 'hono/html'
import type { CheckStatus } from '../../model/check-status.ts'
import type { Severity } from '../../model/severity.ts'
import type { ResourceState } from '../trust.ts'
import type { Html } from './text.ts'

/** How a word is coloured; the word itself always says it too. */
export type Tone = 'bad' | 'warn' | 'blind' | 'good' | 'quiet'

export function badge(word: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${word}</span>`
}

export const statusTone = {
  fail: 'bad',
  unknown: 'blind',
  pass: 'good',
  not_applicable: 'quiet',
} as const satisfies Record<CheckStatus, Tone>

export const statusWord = {
  fail: 'fail',
  unknown: 'unknown',
  pass: 'pass',
  not_applicable: 'not applicable',
} as const satisfies Record<CheckStatus, string>

export const severityTone = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
  info: 'quiet',
} as const satisfies Record<Severity, Tone>

export const stateTone = {
  held: 'bad',
  unauthorised: 'bad',
  never: 'blind',
  stale: 'blind',
  quarantined: 'warn',
  missing: 'warn',
  failing: 'warn',
  fresh: 'good',
} as const satisfies Record<ResourceState, Tone>
