import type { Command, CommanderError } from 'commander'
import { nearest } from '../../config/yaml/nearest.ts'
import { repeated } from './options.ts'

/** Only words of this form are repeated in messages: a secret may also begin with a dash. */
const optionName = /^--[a-z]+(-[a-z]+)*$/
const namesSecret = /token|secret|password|credential|api-?key|bearer/
/** Errors whose text does not contain words of the command line. */
const ownWords: ReadonlySet<string> = new Set(['commander.conflictingOption', 'commander.optionMissingArgument'])

/** Unknown words that may be secrets are named by their position, not repeated: the message ends in logs. */
export function usageText(error: CommanderError, program: Command, args: readonly string[]): string {
  const command = invoked(program)
  return `tenantwatch: ${sentence(error, command, args)}\n(${pathOf(command)} --help shows how to use it)\n`
}

function sentence({ code, message }: CommanderError, command: Command, args: readonly string[]): string {
  if (ownWords.has(code)) return capitalized(message.replace(/^error: /, ''))
  switch (code) {
    case 'commander.unknownOption':
      return unknownOption(message, command, args)
    case 'commander.unknownCommand': {
      return unknownCommand(command, command.args[0], args)
    }
    case 'commander.missingArgument':
      return missingArgument(command)
    case 'commander.missingMandatoryOptionValue':
      return missingOptions(command)
    case 'commander.excessArguments':
      return excess(command)
    case 'commander.invalidArgument': {
      const [, flags = '', given = '', wanted = ''] =
        /^error: option '([^']*)' argument '([\s\S]*)' is invalid\. (.*)$/.exec(message) ?? []
      return `Invalid value of ${flags.replace(/ .*/, '')}${repeated(given)}: ${wanted}`
    }
    default:
      return 'The command line cannot be read'
  }
}

function unknownOption(message: string, command: Command, args: readonly string[]): string {
  const given = /^error: unknown option '([\s\S]*)'(?:\n\(Did you mean [^\n]*\))?$/.exec(message)?.[1] ?? ''
  const [name = ''] = given.split('=')
  if (command.options.some(({ long }) => long === name)) return `The option ${name} takes no value`
  const shown = optionName.test(name) ? ` ${name}` : placeOf(given, args)
  const hint = namesSecret.test(shown)
    ? '; secrets belong in the configuration, because other users can see the command line'
    : ''
  const meant = suggestionIn(message) ?? beginningWith(name, command)
  return `Unknown option${shown}${meant === undefined ? '' : `; ${meant}`}${hint}`
}

function beginningWith(name: string, command: Command): string | undefined {
  const longer = command.options.flatMap(({ long }) => (long?.startsWith(name) === true ? [long] : []))
  return longer.length === 1 && name.length > 3 ? `did you mean ${longer[0]}?` : undefined
}

function unknownCommand(command: Command, given: string | undefined, args: readonly string[]): string {
  const names = command.commands.map((inner) => inner.name())
  const meant = nearest(given ?? '', names)
  const hint = meant === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${meant}?`
  return `Unknown command${repeated(given) || placeOf(given, args)}; ${hint}`
}

/** `help` with a word that is no command, for which commander prints the help of the program. */
export function unknownHelp(program: Command, args: readonly string[]): string | null {
  const [word, given] = args
  if (word !== 'help' || given === undefined || given.startsWith('-')) return null
  const isKnown = given === 'help' || program.commands.some((command) => command.name() === given)
  return isKnown ? null : `tenantwatch: ${unknownCommand(program, given, args)}\n`
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

function missingArgument({ registeredArguments, args }: Command): string {
  const missing = registeredArguments.slice(args.length).find(({ required }) => required)
  return `Missing argument <${missing?.name()}>: ${missing?.argChoices?.join(', ') ?? missing?.description}`
}

/** Names all missing options at once. */
function missingOptions(command: Command): string {
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  )
  return `Missing ${missing.map(({ flags }) => flags).join(', ')}`
}

function excess(command: Command): string {
  const { length } = command.registeredArguments
  const wanted = command.registeredArguments.map((argument) => `<${argument.name()}>`).join(' ')
  const takes = length === 0 ? 'no arguments' : `${length} argument${length === 1 ? '' : 's'} (${wanted})`
  return `Too many arguments: ${command.name()} takes ${takes} besides options, but got ${command.args.length}`
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
