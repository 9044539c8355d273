import type { Command } from 'commander'
import { type Io, print } from '../../model/process/io.ts'
import { commandWith } from '../../model/text/command-line.ts'
import { type Terminal, terminalOf } from '../../report/terminal.ts'
import { wrapCommand } from './help-text.ts'

/** Prints the next step, on a terminal only: a sentence and a command, with this command's configuration file. */
export function printNext(io: Io, command: Command, sentence: string, words: string): void {
  const terminal = terminalOf(io)
  if (terminal !== null) print(io, `\n${nextLines(command, terminal, sentence, words)}`)
}

export function nextLines(command: Command, terminal: Terminal, sentence: string, words: string): string {
  return purposeLines(sentence, commandFor(command, words), terminal)
}

/** The purpose of a command and the command, on one line if they fit. */
export function purposeLines(purpose: string, command: string, terminal: Terminal, indent = ''): string {
  const line = `${indent}${purpose}: ${command}`
  if (line.length <= terminal.columns) return line
  return `${indent}${purpose}:\n${wrapCommand(`${indent}  ${command}`, terminal)}`
}

/** A command to copy, with this command's configuration file. */
export function commandFor(command: Command, words: string): string {
  return commandWith(words, command.optsWithGlobals<{ config?: string }>().config)
}
