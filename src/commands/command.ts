import type { Command, Option } from 'commander'
import type { ExitCode, Io } from '../model/process/io.ts'

export interface CommandRun<Options> {
  readonly io: Io
  readonly command: Command
  readonly options: Options
  /** The arguments of the command. */
  readonly args: readonly string[]
}

/** A command as data. */
export interface CommandData<Options> {
  readonly name: string
  /** As commander writes it, such as `<resource>`, with its description. */
  readonly argument?: readonly [name: string, description: string]
  readonly summary: string
  /** Below the options: what to know, and examples. */
  readonly help: string
  readonly options?: readonly Option[]
  /** False for a command that reads no configuration. */
  readonly isConfigured?: false
  readonly run: (run: CommandRun<Options>) => Promise<ExitCode> | ExitCode
}

/** Adds a command; `done` takes its exit code. */
export type AddCommand = (program: Command, io: Io, done: (code: ExitCode) => void) => void

export function addCommand<Options>(data: CommandData<Options>): AddCommand {
  return (program, io, done) => {
    const command = program.command(data.name).description(data.summary).addHelpText('after', `\n${data.help}`)
    if (data.argument !== undefined) command.argument(...data.argument)
    for (const option of data.options ?? []) command.addOption(option)
    if (data.isConfigured !== false) command.option('--config <file>', 'configuration file')
    command.action(async () =>
      done(await data.run({ io, command, options: command.optsWithGlobals<Options & object>(), args: command.args })),
    )
  }
}
