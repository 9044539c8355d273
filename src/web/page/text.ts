import { html } from 'hono/html'
import { printable } from '../../model/printable.ts'

/** What a template gives; hono awaits the promises it finds in one. */
export type Html = ReturnType<typeof html>

const longest = 300

/** Fit to be shown; long texts are cut. */
export function visible(text: string): string {
  return printable(text, longest)
}

/** A text that somebody else chose: escaped, and unable to turn the direction of what stands around it. */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`
}

const counting = new Intl.NumberFormat('en')

export function number(value: number): string {
  return counting.format(value)
}

/** `1 finding`, `2 findings`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`
}
