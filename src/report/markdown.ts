import { printable } from '../model/text/printable.ts'

/** Markup characters, and those that turn a bare address into a link. */
export const markup = /[\\`*_[\]<>|#~&@$!]|:(?=\/\/)|(?<=www)\./gi

/** Escapes a text from the tenant: no markup, no link, no end of a cell. */
export function md(text: string): string {
  return printable(text).replace(markup, '\\$&')
}
