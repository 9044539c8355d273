import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'

/** The words that start this program again, as typed in `cwd` or, if it lies elsewhere, anywhere. */
export function ownCommand(
  cwd: string,
  { execPath, argv }: Pick<NodeJS.Process, 'execPath' | 'argv'> = process,
): string {
  const linked = 'node_modules/.bin/node'
  const node = realOf(resolve(cwd, linked)) === realOf(execPath) ? linked : execPath
  const path = resolve(cwd, argv[1] ?? '')
  const below = relative(cwd, path)
  return [node, below.startsWith('..') ? path : below].map(shellWord).join(' ')
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Quoted where a shell would not take the text as one plain word. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
