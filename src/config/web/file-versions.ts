import { statSync } from 'node:fs'
import { readRegularFileSync } from '../../model/process/regular-file.ts'
import { whyUnreadable } from '../yaml/unreadable.ts'

export type FileVersions = ReadonlyMap<string, string>

/** Reads files and records their versions, also of unreadable files. */
export interface VersionedReader {
  readonly versions: FileVersions
  read(path: string): { readonly text: string } | { readonly why: string }
}

export function versionedReader(): VersionedReader {
  const versions = new Map<string, string>()
  return {
    versions,
    read(path) {
      // Recorded before the read, so that a concurrent change causes another read.
      versions.set(path, versionOf(path))
      try {
        return { text: readRegularFileSync(path).toString() }
      } catch (error) {
        return { why: whyUnreadable(error) }
      }
    },
  }
}

/** True when one of the files changed. Follows links, so that a replaced folder is noticed. */
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
