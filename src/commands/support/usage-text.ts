import type { Command, CommanderError } from 'commander'

/** Only words of this form are repeated: a secret may begin with a dash, too. */
const optionName = /^--[a-z]+(-[a-z]+)*$/
const namesSecret = /token|secret|password|credential|api-?key|bearer/
/** Errors whose text does not contain words of the command line. */
const ownWords: ReadonlySet<string> = new Set([
  'commander.conflictingOption',
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
])

/** Unknown words are named by their position, not repeated: they may be secrets, and the message ends in logs. */
export function usageText(error: CommanderError, program: Command, args: readonly string[]): string {
  const command = invoked(program)
  return `tenantwatch: ${sentence(error, command, args)}\n(${pathOf(command)} --help lists commands and options)\n`
}

function sentence({ code, message }: CommanderError, command: Command, args: readonly string[]): string {
  if (ownWords.has(code)) return message.replace(/^error: /, '')
  switch (code) {
    case 'commander.unknownOption':
      return unknownOption(message, command, args)
    case 'commander.unknownCommand': {
      const names = command.commands.map((inner) => inner.name())
      return `unknown command${placeOf(command.args[0], args)}; ${suggestionIn(message) ?? `want one of ${names.join(', ')}`}`
    }
    case 'commander.excessArguments':
      return excess(command)
    case 'commander.invalidArgument': {
      const [, flags = '', wanted = ''] =
        /^error: option '([^']*)' argument '[\s\S]*' is invalid\. (.*)$/.exec(message) ?? []
      return `invalid value of ${flags}: ${wanted}`
    }
    default:
      return 'the command line cannot be read'
  }
}

function unknownOption(message: string, command: Command, args: readonly string[]): string {
  const given = /^error: unknown option '([\s\S]*)'(?:\n\(Did you mean [^\n]*\))?$/.exec(message)?.[1] ?? ''
  const [name = ''] = given.split('=')
  const place = placeOf(given, args)
  if (command.options.some(({ long }) => long === name)) return `the option ${name}${place} takes no value`
  const shown = optionName.test(name) ? ` ${name}` : ''
  const hint = namesSecret.test(shown)
    ? '; secrets belong in the configuration, because other users can see the command line'
    : ''
  const meant = suggestionIn(message)
  return `unknown option${shown}${place}${meant === undefined ? '' : `; ${meant}`}${hint}`
}

function excess(command: Command): string {
  const { length } = command.registeredArguments
  const wanted = command.registeredArguments.map((argument) => `<${argument.name()}>`).join(' ')
  const takes = length === 0 ? 'no arguments' : `${length} argument${length === 1 ? '' : 's'} (${wanted})`
  return `too many arguments: ${command.name()} takes ${takes} besides options, but got ${command.args.length}`
}

/** The suggestion of commander, which names only existing words. */
function suggestionIn(message: string): string | undefined {
  const meant = /\n\(Did you mean ([^\n]*)\?\)$/.exec(message)?.[1]
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

function placeOf(word: string | undefined, args: readonly string[]): string {
  const at = word === undefined ? -1 : args.indexOf(word)
  return at < 0 ? '' : ` (word ${at + 1})`
}

function invoked(command: Command): Command {
  const inner = command.commands.find((one) => one.name() === command.args[0])
  return inner === undefined ? command : invoked(inner)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
