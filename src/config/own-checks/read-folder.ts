import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularFileSync } from '../../model/process/files.ts'
import { whyUnreadable } from '../yaml/errors.ts'

const mostFiles = 200
const mostBytes = 64 * 1024

export type OwnCheckFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: string }

export type OwnCheckFolder = { readonly files: readonly OwnCheckFile[] } | { readonly problem: string }

/** Files by name, without hidden files and subfolders. Follows links, which mounted configurations contain. */
export function readFolder(folder: string): OwnCheckFolder {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name.toLowerCase().endsWith('.sql'))
    if (names.length > mostFiles) return { problem: `it contains ${names.length} files; expected at most ${mostFiles}` }
    // An empty folder may be a volume that is not mounted: reading it as one without checks would close their findings.
    if (names.length === 0)
      return {
        problem: 'it has no *.sql file; is its volume mounted? Without own checks, set ownChecks.folder to null',
      }
    return { files: names.sort().map((name) => readFile(folder, name)) }
  } catch (error) {
    return { problem: whyUnreadable(error) }
  }
}

export function readFile(folder: string, name: string): OwnCheckFile {
  try {
    const bytes = readRegularFileSync(join(folder, name), mostBytes)
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    return { name, problem: error instanceof TypeError ? 'it is not UTF-8 text' : whyUnreadable(error) }
  }
}
