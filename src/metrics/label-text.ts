import { printable } from '../model/text/printable.ts'

const longest = 200

/** Makes a text from the tenant printable for a label value. */
export function labelText(text: string): string {
  return printable(text, longest)
}
