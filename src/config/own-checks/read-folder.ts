import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { whyUnreadable } from '../unreadable.ts'

export const mostFiles = 200
const mostBytes = 64 * 1024

/** A file of own checks: its text, or why there is none. */
export type OwnCheckFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: string }

/** The files of a folder in the order of their names, or why it cannot be read. */
export type OwnCheckFolder = { readonly files: readonly OwnCheckFile[] } | { readonly problem: string }

/**
 * Reads every `*.sql` of a folder, but those that begin with a dot; folders in it are left alone. Links are followed: a
 * mounted configuration is made of them.
 */
export function readFolder(folder: string): OwnCheckFolder {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name.toLowerCase().endsWith('.sql'))
    if (names.length > mostFiles) return { problem: `it holds ${names.length} files; want at most ${mostFiles}` }
    return { files: names.sort().map((name) => readFile(folder, name)) }
  } catch (error) {
    return { problem: whyUnreadable(error) }
  }
}

function readFile(folder: string, name: string): OwnCheckFile {
  try {
    const path = join(folder, name)
    const entry = statSync(path)
    const { size } = entry
    // A pipe or a device would be read for ever.
    if (!entry.isFile() && !entry.isDirectory()) return { name, problem: 'it is no file' }
    if (size > mostBytes) return { name, problem: `it has ${size} bytes; want at most ${mostBytes}` }
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    return { name, problem: error instanceof TypeError ? 'it is no UTF-8 text' : whyUnreadable(error) }
  }
}
