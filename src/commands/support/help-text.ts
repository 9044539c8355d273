import { indentOf, type Terminal, wrapLine } from '../../report/terminal.ts'

/** Width of help in a file or pipe. */
const usual: Terminal = { columns: 80, hasColors: false }

/** Help that fits the width: paragraphs are wrapped, lists keep their lines, and examples stay commands that can be copied. */
export function fittingHelp(text: string, terminal: Terminal | null): string {
  const width = terminal ?? usual
  const kept: string[] = []
  let before: string | undefined
  for (const line of text.split('\n')) {
    if (isProse(line) && before !== undefined && isProse(before)) kept.push(`${kept.pop() ?? ''} ${line}`)
    else kept.push(line)
    before = line
  }
  const examples = kept.findIndex((line) => /^Examples?:$/.test(line))
  return kept
    .map((line, at) => {
      if (examples >= 0 && at > examples && !isProse(line)) return wrapCommand(line, width)
      return wrapLine(line, width, isProse(line) ? 0 : indentOf(line) + 2)
    })
    .join('\n')
}

/** Headings such as `Options:` stand alone. */
function isProse(line: string): boolean {
  return /^\S/.test(line) && !/^(?:Usage: .*|\S+:)$/.test(line)
}

/** Breaks a command of the shell by a backslash: outside of quotes, and before an option rather than after it. */
export function wrapCommand(line: string, { columns }: Terminal): string {
  if (line.length <= columns) return line
  const indent = ' '.repeat(indentOf(line))
  const lines: string[] = []
  for (const part of partsOf(line)) {
    const last = lines.at(-1)
    // Two columns for the backslash.
    if (last !== undefined && last.length + 1 + part.length <= columns - 2) lines[lines.length - 1] = `${last} ${part}`
    else lines.push(last === undefined ? `${indent}${part}` : `${indent}  ${part}`)
  }
  return lines.join(' \\\n')
}

/** Words; an option, pipe or redirection stays with the next word. */
function partsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
  const parts: string[] = []
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? ''
    const belongs = /^(?:-.*|[>|])$/.test(before) && !word.startsWith('-')
    if (belongs) parts.push(`${parts.pop() ?? ''} ${word}`)
    else parts.push(word)
  }
  return parts
}
