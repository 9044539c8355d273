import { html } from 'hono/html'
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

export const statusTone: Tones<ShownStatus> = {
  fail: 'bad',
  unknown: 'unknown',
  waived: 'warn',
  pass: 'good',
  not_applicable: 'quiet',
}

export function statusWord(status: ShownStatus): string {
  return status.replace('_', ' ')
}

export const severityTone: Tones<Severity> = {
  critical: 'worst',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
  info: 'quiet',
}

/** Counts by severity, the highest first; empty if there are none. `hrefOf` links a count to its findings. */
export function severityCounts(
  open: Readonly<SeverityCounts>,
  waived: number,
  hrefOf?: (severity: Severity) => string,
): readonly Html[] {
  const counts = severities
    .toReversed()
    .map((severity) => [severity, open[severity] ?? 0] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => {
      const words = html`${badge(severity, severityTone[severity])} ${number(count)}`
      if (hrefOf === undefined) return html`<span class="count">${words}</span> `
      return html`<a class="count counts" href="${hrefOf(severity)}" data-live="jump">${words}</a> `
    })
  return waived === 0 ? counts : [...counts, html`<span class="count quiet">${number(waived)} waived</span>`]
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

export interface BarPart {
  readonly tone: Tone
  readonly label: string
  readonly value: number
}

const width = 200
const height = 8
const gap = 2

/** A bar of parts. SVG, because the content security policy forbids style attributes. */
export function stackedBar(parts: readonly BarPart[]): Html {
  const present = parts.filter(({ value }) => value > 0)
  const total = present.reduce((sum, { value }) => sum + value, 0)
  const room = width - gap * Math.max(0, present.length - 1)
  let x = 0
  const pieces = present.map(({ tone, value }) => {
    const wide = (value / total) * room
    const piece = html`<rect class="fill-${tone}" x="${x.toFixed(1)}" width="${wide.toFixed(1)}" height="${height}"/>`
    x += wide + gap
    return piece
  })
  const words = present.map(({ label, value }) => `${number(value)} ${label}`).join(', ')
  return html`<svg class="bar" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${words}">${pieces}</svg>`
}

/** The used share of a limit; the full bar is the limit. */
export function gaugeBar(used: number, tone: Tone, words: string): Html {
  const wide = Math.min(1, Math.max(0.02, used)) * width
  return html`<svg class="bar slim" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="track" width="${width}" height="${height}"/><rect class="fill-${tone}" width="${wide.toFixed(1)}" height="${height}"/></svg>`
}
