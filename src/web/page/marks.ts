import { html } from 'hono/html'
import type { Description } from '../../model/describe.ts'
import type { ResourceState, ShownStatus } from '../../model/posture-state.ts'
import { type Severity, type SeverityCounts, severities } from '../../model/severity.ts'
import { grouped as number } from '../../model/text/numbers.ts'
import type { Html } from './text.ts'

/** Color never carries information alone. */
export type Tone = 'worst' | 'bad' | 'warn' | 'unknown' | 'good' | 'quiet' | 'own'

export function badge(word: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${word}</span>`
}

type Tones<Word extends string> = Readonly<Record<Word, Tone>>

export const levelTone = { fail: 'bad', warn: 'unknown', ok: 'good' } as const satisfies Tones<Description['level']>

export const statusTone: Tones<ShownStatus> = {
  fail: 'bad',
  unknown: 'unknown',
  waived: 'warn',
  pass: 'good',
  not_applicable: 'quiet',
}

export const severityTone: Tones<Severity> = {
  critical: 'worst',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
  info: 'quiet',
}

export const stateTone: Tones<ResourceState> = {
  on_hold: 'bad',
  unauthorized: 'bad',
  missing_permission: 'bad',
  never: 'unknown',
  stale: 'unknown',
  quarantined: 'warn',
  missing: 'warn',
  failing: 'warn',
  fresh: 'good',
}

/** Counts by severity, the highest first; empty if there are none. */
export function severityCounts(open: Readonly<SeverityCounts>, waived: number): readonly Html[] {
  const counts = severities
    .toReversed()
    .map((severity) => [severity, open[severity] ?? 0] as const)
    .filter(([, count]) => count > 0)
    .map(
      ([severity, count]) =>
        html`<span class="count">${badge(severity, severityTone[severity])} ${number(count)}</span> `,
    )
  return waived === 0 ? counts : [...counts, html`<span class="count quiet">${number(waived)} waived</span>`]
}
