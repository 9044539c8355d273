import { html } from 'hono/html'
import type { Tone } from './badge.ts'
import { type Html, number } from './text.ts'

export interface BarPart {
  readonly tone: Tone
  readonly label: string
  readonly value: number
}

const width = 200
const height = 8
const gap = 2

/** Parts of a whole in one bar. SVG, because the content security policy forbids style attributes. */
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
