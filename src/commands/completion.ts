import { Argument, type Command, type Option } from 'commander'
import { checks } from '../checks/index.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { severities } from '../model/severity.ts'
import { groupings } from '../report/finding-groups.ts'
import { allIds } from './dashboards.ts'
import { oneOf } from './support/options.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export function addCompletion(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', shells.join(', ')))
    .addHelpText(
      'after',
      `
Examples:
  source <(tenantwatch completion bash)
  source <(tenantwatch completion zsh)
  tenantwatch completion fish | source

Put the line of your shell into its start-up file.`,
    )
    .action((shell: string) => {
      const name = oneOf('shell', shells, shell)
      print(io, name === 'fish' ? fishScript(program) : shellScript(program, name))
      done(exitCodes.ok)
    })
}

/** A command, by the words that lead to it, with the words and options that may follow. */
interface Place {
  readonly path: string
  readonly words: readonly string[]
  readonly flags: readonly string[]
  readonly options: readonly Option[]
}

function placesOf(command: Command, path: readonly string[] = []): readonly Place[] {
  const inner = command.commands
  const options = visibleIn(command)
  const words = [...inner.map((one) => one.name()), ...command.registeredArguments.flatMap(valuesOf)]
  const flags = flagsOf(options)
  return [
    { path: path.join(' '), words: path.length === 0 ? [...words, 'help'] : words, flags, options },
    ...(path.length === 0 ? [{ path: 'help', words, flags: ['--help'], options: [] }] : []),
    ...inner.flatMap((one) => placesOf(one, [...path, one.name()])),
  ]
}

function visibleIn({ options }: Command): readonly Option[] {
  return options.filter(({ hidden }) => !hidden)
}

function flagsOf(options: readonly Option[]): readonly string[] {
  return [...options.flatMap(({ long }) => long ?? []), '--help']
}

/** Values by placeholder, for options whose help text does not list them. */
const values: Readonly<Record<string, readonly string[]>> = {
  by: groupings,
  check: checks.map(({ id }) => id),
  dashboard: allIds,
  severity: severities,
}

/** The values that an option or argument takes; else those that its help text lists. */
function valuesOf(one: Option | Argument): readonly string[] {
  const listed = /(?:^|: )([a-z][\w-]*(?:, [a-z][\w-]*)+)$/.exec(one.description)?.[1]?.split(', ') ?? []
  return values[placeholderOf(one)] ?? listed
}

function placeholderOf(one: Option | Argument): string {
  return one instanceof Argument ? one.name() : (/<(.*)>/.exec(one.flags)?.[1] ?? '')
}

type Kind = 'flag' | 'values' | 'file' | 'free'

function kindOf(option: Option): Kind {
  if (!option.required) return 'flag'
  if (valuesOf(option).length > 0) return 'values'
  return isFile(option) ? 'file' : 'free'
}

function isFile(one: Option | Argument): boolean {
  return ['file', 'folder'].includes(placeholderOf(one))
}

/**
 * Where the shells differ: the typed words, the word at the cursor and the one before it, a value after `=`, and how to
 * offer candidates, files or nothing.
 */
const dialects = {
  bash: {
    begin: '',
    typed: `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`,
    before: `"\${COMP_WORDS[COMP_CWORD-1]}"`,
    at: `"\${COMP_WORDS[COMP_CWORD]}"`,
    value: `[[ $at != = ]] || at=""
  [[ $before != = ]] || before="\${COMP_WORDS[COMP_CWORD-2]}"`,
    offer: `COMPREPLY=($(compgen -W "$list" -- "$at"))`,
    file: 'COMPREPLY=(); return',
    free: 'COMPREPLY=(); compopt +o default 2>/dev/null; return',
    end: 'complete -o default -F _tenantwatch tenantwatch',
  },
  zsh: {
    begin: 'whence compdef >/dev/null || { autoload -Uz compinit && compinit }\n',
    typed: `"\${words[@]:1:$((CURRENT-2))}"`,
    before: `"\${words[CURRENT-1]}"`,
    at: `"$PREFIX"`,
    value: `if [[ $at == --*=* ]]; then
    before="\${at%%=*}" at=""
    compset -P '*='
  fi`,
    offer: `compadd -- \${=list} || _files`,
    file: '_files; return',
    free: 'return',
    end: 'compdef _tenantwatch tenantwatch',
  },
}

function shellScript(program: Command, shell: keyof typeof dialects): string {
  const { begin, typed, before, at, value, offer, file, free, end } = dialects[shell]
  const places = placesOf(program)
  const action = (option: Option) =>
    ({ flag: null, values: `list="${valuesOf(option).join(' ')}"`, file, free })[kindOf(option)]
  const actions = places.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      action(option) === null ? [] : [`    "${path} ${option.long}") ${action(option)} ;;`],
    ),
  )
  const all = places.map(
    ({ path, words, flags }) => `    "${path}") list="${words.join(' ')}" flags="${flags.join(' ')}" ;;`,
  )
  const inner = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]))
  return `${begin}_tenantwatch() {
  local word place="" list="" flags="" before=${before} at=${at}
  ${value}
  for word in ${typed}; do
    case "\${place:+$place }$word" in
    ${inner.join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $before" in
${actions.join('\n')}
  esac
  if [[ -z $list ]]; then
    case "$place" in
${all.join('\n')}
    esac
    [[ -n $list && $at != -* ]] || list=$flags
  fi
  ${offer}
}
${end}`
}

function fishScript(program: Command): string {
  const text = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&').replaceAll(/\s+/g, ' ')}'`
  const lines = ['complete -c tenantwatch -f']
  const add = (command: Command, path: readonly string[]) => {
    const names = command.commands.map((one) => one.name()).join(' ')
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
    const isFirst =
      path.length === 0 ? '__fish_use_subcommand' : [...seen, `not __fish_seen_subcommand_from ${names}`].join('; and ')
    for (const one of command.commands) {
      lines.push(`complete -c tenantwatch -f -n ${text(isFirst)} -a ${one.name()} -d ${text(one.description())}`)
    }
    if (path.length === 0) {
      lines.push(`complete -c tenantwatch -f -n ${text(isFirst)} -a help -d 'show the help of a command'`)
      lines.push(`complete -c tenantwatch -f -n '__fish_seen_subcommand_from help' -a ${text(names)}`)
    }
    const here = text(path.length === 0 ? '__fish_use_subcommand' : seen.join('; and '))
    for (const argument of command.registeredArguments) {
      const all = valuesOf(argument)
      if (all.length > 0) lines.push(`complete -c tenantwatch -f -n ${here} -a ${text(all.join(' '))}`)
      if (isFile(argument)) lines.push(`complete -c tenantwatch -F -n ${here}`)
    }
    for (const option of visibleIn(command)) {
      const all = text(valuesOf(option).join(' '))
      const kind = kindOf(option)
      const value = { flag: '', values: ' -x', file: ' -rF', free: ' -x' }[kind]
      const begin = `complete -c tenantwatch -n ${here} -l ${option.name()}`
      // Values get a line of their own, before the option's: fish repeats a line's description for each value, and
      // shows the option's from the last line.
      if (kind === 'values') lines.push(`${begin} -xa ${all}`)
      lines.push(`${begin}${value} -d ${text(option.description)}`)
    }
    for (const one of command.commands) add(one, [...path, one.name()])
  }
  add(program, [])
  return lines.join('\n')
}
