import { printable } from '../model/text/printable.ts'

const longest = 200

export function labelText(text: string): string {
  return printable(text, longest)
}
