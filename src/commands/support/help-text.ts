import { type Terminal, wrapLine } from '../../report/terminal.ts'

/** Help that fits the terminal: paragraphs are wrapped, lists and examples keep their lines. */
export function fittingHelp(text: string, terminal: Terminal | null): string {
  if (terminal === null) return text
  const lines = text.split('\n')
  const kept: string[] = []
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1]
    if (isProse(line) && before !== undefined && isProse(before)) kept.push(`${kept.pop() ?? ''} ${line}`)
    else kept.push(line)
  }
  return kept.map((line) => wrapLine(line, terminal, isProse(line) ? 0 : indentOf(line) + 2)).join('\n')
}

/** Headings such as `Options:` stand alone. */
function isProse(line: string): boolean {
  return /^\S/.test(line) && !/^(?:Usage: .*|\S+:)$/.test(line)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
