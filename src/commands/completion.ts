import { Argument, type Command, type Option } from 'commander'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
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

/** A command by the words that lead to it, and what may follow them. */
interface Place {
  readonly path: string
  readonly words: readonly string[]
  /** Values by the flag that they follow. */
  readonly values: readonly (readonly [flag: string, values: readonly string[]])[]
}

function placesOf(command: Command, path: readonly string[] = []): readonly Place[] {
  const inner = command.commands
  const options = command.options.filter(({ hidden }) => !hidden)
  const words = [...inner.map((one) => one.name()), ...command.registeredArguments.flatMap(listed), ...flagsOf(options)]
  const values = options.flatMap((option) =>
    listed(option).length === 0 ? [] : [[option.long ?? '', listed(option)] as const],
  )
  return [{ path: path.join(' '), words, values }, ...inner.flatMap((one) => placesOf(one, [...path, one.name()]))]
}

function flagsOf(options: readonly Option[]): readonly string[] {
  return [...options.flatMap(({ long }) => long ?? []), '--help']
}

/** The values that the help text of an option or argument lists. */
function listed({ description }: { readonly description: string }): readonly string[] {
  return /(?:^|: )([a-z][\w-]*(?:, [a-z][\w-]*)+)$/.exec(description)?.[1]?.split(', ') ?? []
}

/** What differs: the words typed so far, the one before the cursor, and how candidates are offered. */
const dialects = {
  bash: {
    begin: '',
    typed: `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`,
    before: `"\${COMP_WORDS[COMP_CWORD-1]}"`,
    offer: `COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    end: 'complete -o default -F _tenantwatch tenantwatch',
  },
  zsh: {
    begin: 'whence compdef >/dev/null || { autoload -Uz compinit && compinit }\n',
    typed: `"\${words[@]:1:$((CURRENT-2))}"`,
    before: `"\${words[CURRENT-1]}"`,
    offer: `compadd -- \${=list} || _files`,
    end: 'compdef _tenantwatch tenantwatch',
  },
}

function shellScript(program: Command, shell: keyof typeof dialects): string {
  const { begin, typed, before, offer, end } = dialects[shell]
  const places = placesOf(program)
  const values = places.flatMap((place) =>
    place.values.map(([flag, all]) => `    "${place.path} ${flag}") list="${all.join(' ')}" ;;`),
  )
  const words = places.map((place) => `    "${place.path}") list="${place.words.join(' ')}" ;;`)
  const inner = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]))
  return `${begin}_tenantwatch() {
  local word place="" list="" before=${before}
  for word in ${typed}; do
    case "\${place:+$place }$word" in
    ${inner.join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $before" in
${values.join('\n')}
  esac
  [[ -n $list ]] || case "$place" in
${words.join('\n')}
  esac
  ${offer}
}
${end}`
}

function fishScript(program: Command): string {
  const text = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&').replaceAll(/\s+/g, ' ')}'`
  const lines = ['complete -c tenantwatch -f -n __fish_use_subcommand']
  const add = (command: Command, path: readonly string[]) => {
    const names = command.commands.map((one) => one.name()).join(' ')
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
    const isFirst =
      path.length === 0 ? '__fish_use_subcommand' : [...seen, `not __fish_seen_subcommand_from ${names}`].join('; and ')
    for (const one of command.commands) {
      lines.push(`complete -c tenantwatch -f -n ${text(isFirst)} -a ${one.name()} -d ${text(one.description())}`)
    }
    const here = text(path.length === 0 ? '__fish_use_subcommand' : seen.join('; and '))
    for (const argument of command.registeredArguments) {
      const values = listed(argument)
      if (values.length > 0) lines.push(`complete -c tenantwatch -f -n ${here} -a ${text(values.join(' '))}`)
    }
    for (const option of command.options.filter(({ hidden }) => !hidden)) {
      const values = listed(option)
      const value = values.length > 0 ? ` -xa ${text(values.join(' '))}` : option.required ? ' -r' : ''
      lines.push(`complete -c tenantwatch -n ${here} -l ${option.name()}${value} -d ${text(option.description)}`)
    }
    for (const one of command.commands) add(one, [...path, one.name()])
  }
  add(program, [])
  return lines.join('\n')
}
