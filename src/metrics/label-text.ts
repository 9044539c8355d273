import { printable } from '../model/text/printable.ts'

const longest = 200

/** A text that somebody in the tenant chose, made fit for a label value. */
export function labelText(text: string): string {
  return printable(text, longest)
}
