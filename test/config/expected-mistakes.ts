import { readFileSync } from 'node:fs'

/** The mistakes that a folder of bad files names in `expected.txt`: `file:line code key`, in order of the file. */
export function expectedMistakes(folder: URL): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(new URL('expected.txt', folder), 'utf8').trimEnd().split('\n')
  const byFile = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(':')))
  return new Map([...byFile].map(([file, found]) => [file, found.map((line) => line.slice(file.length + 1))]))
}
