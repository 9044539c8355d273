import { html } from 'hono/html'
import { grouped } from '../../model/text/grouped.ts'
import { printable } from '../../model/text/printable.ts'

export { grouped as number }

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

/** `1 finding`, `2 findings`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}
