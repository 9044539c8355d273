import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface SourceFile {
  /** Path below `src`, with `/`. */
  readonly path: string
  readonly text: string
  /** Paths below `src` of the files it imports, type imports included. */
  readonly imports: readonly string[]
}

const root = join(import.meta.dirname, '../../src')
const specifier = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Every file under `src` with what it imports. */
export function sourceFiles(): readonly SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const imports = [...text.matchAll(specifier)].map(([, target = '']) => join(dirname(path), target))
      return { path, text, imports }
    })
}

/** The text without comments, for rules that are about code. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
