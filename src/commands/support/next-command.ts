import type { Command } from 'commander'
import { type Io, print } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { type Terminal, terminalOf } from '../../report/terminal.ts'
import { wrapCommand } from './help-text.ts'

/** Makes a command to copy of the words after the program's name. */
export type Next = (words: string) => string

/** What a person does next, on a terminal only: a sentence and a command to copy, with the configuration file of this one. */
export function printNext(io: Io, command: Command, sentence: string, words: string): void {
  const terminal = terminalOf(io)
  if (terminal !== null) print(io, `\n${nextLines(command, terminal, sentence, words)}`)
}

/** On one line if they fit. */
export function nextLines(command: Command, terminal: Terminal, sentence: string, words: string): string {
  const whole = commandFor(command, words)
  const line = `${sentence}: ${whole}`
  return line.length <= terminal.columns ? line : `${sentence}:\n${wrapCommand(`  ${whole}`, terminal)}`
}

/** A command to copy, with the configuration file of this one. */
export function commandFor(command: Command, words: string): string {
  return commandWith(words, command.optsWithGlobals<{ config?: string }>().config)
}

export function commandWith(words: string, config: string | undefined): string {
  return `tenantwatch ${words}${config === undefined ? '' : ` --config ${shellWord(printable(config))}`}`
}

/** Quoted where a shell would not take the text as one plain word. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
