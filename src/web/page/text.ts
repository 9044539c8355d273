import { html } from 'hono/html'
import { grouped } from '../../model/text/grouped.ts'
import { printable } from '../../model/text/printable.ts'

export { grouped as number }

/** The result of a template; hono awaits promises inside it. */
export type Html = ReturnType<typeof html>

const longest = 300

/** A printable text, cut to a limited length. */
export function visible(text: string): string {
  return printable(text, longest)
}

/** A text from the tenant: escaped, and isolated so that it cannot change the writing direction around it. */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`
}

/** `1 finding`, `2 findings`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}
