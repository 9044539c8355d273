import { statSync } from 'node:fs'
import { readRegularFileSync } from '../../model/process/regular-file.ts'
import { whyUnreadable } from '../yaml/unreadable.ts'

/** Which version of each file was read. */
export type FileVersions = ReadonlyMap<string, string>

/** Reads files and remembers which versions they were, also of those that could not be read. */
export interface NotingReader {
  readonly versions: FileVersions
  read(path: string): { readonly text: string } | { readonly why: string }
}

export function notingReader(): NotingReader {
  const versions = new Map<string, string>()
  return {
    versions,
    read(path) {
      // Before reading: a file that changes in between is read once more, rather than never.
      versions.set(path, versionOf(path))
      try {
        return { text: readRegularFileSync(path).toString() }
      } catch (error) {
        return { why: whyUnreadable(error) }
      }
    },
  }
}

/** True when one of the files is another one by now. Links are followed, so that a swapped folder shows. */
export function haveChanged(versions: FileVersions): boolean {
  return [...versions].some(([path, version]) => versionOf(path) !== version)
}

function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(':')
  } catch (error) {
    return whyUnreadable(error)
  }
}
