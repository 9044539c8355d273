import { printable } from './printable.ts'

/** A command to copy, with the configuration file unless it is the default one. */
export function commandWith(words: string, config: string | undefined): string {
  return `tenantwatch ${words}${config === undefined ? '' : ` --config ${shellWord(printable(config))}`}`
}

/** Quotes a text that is not one plain word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
