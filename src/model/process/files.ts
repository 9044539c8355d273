import { isUtf8 } from 'node:buffer'
import { constants, mkdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

const mostTextBytes = 4 * 2 ** 20

export const mostSecretBytes = 64 * 1024

/** O_NONBLOCK: if a pipe replaces the file after the check, the read does not block. */
const flag = constants.O_RDONLY | constants.O_NONBLOCK

/** Follows links. Throws UnfitFile for pipes and devices, which may never end, and for files above the limit. */
export async function readRegularFile(path: string, mostBytes = mostTextBytes): Promise<Buffer> {
  assertRegular(await stat(path), mostBytes)
  return readFile(path, { flag })
}

export function readRegularFileSync(path: string, mostBytes = mostTextBytes): Buffer {
  assertRegularFile(path, mostBytes)
  return readFileSync(path, { flag })
}

/** Without a byte order mark. Throws UnfitFile also for what is not UTF-8. */
export function readTextFile(path: string, mostBytes?: number): string {
  const bytes = readRegularFileSync(path, mostBytes)
  if (!isUtf8(bytes)) throw new UnfitFile('it is not UTF-8 text')
  return new TextDecoder().decode(bytes)
}

export function assertRegularFile(path: string, mostBytes = mostTextBytes): void {
  assertRegular(statSync(path), mostBytes)
}

export async function regularFileVersion(path: string, mostBytes = mostTextBytes): Promise<string> {
  const facts = await stat(path, { bigint: true })
  assertRegular(facts, mostBytes)
  return [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(':')
}

interface Facts {
  readonly size: number | bigint
  isDirectory(): boolean
  isFile(): boolean
}

function assertRegular(facts: Facts, mostBytes: number): void {
  if (facts.isDirectory()) throw new UnfitFile('it is a directory')
  if (!facts.isFile()) throw new UnfitFile('it is not a regular file')
  if (facts.size > mostBytes) throw new UnfitFile(`it is larger than ${mostBytes / 1024} KiB`)
}

/**
 * Creates a folder and its parents. Node's `mkdir` with `recursive` never returns if a file system answers ENOENT below
 * an existing folder, as `/proc` does.
 *
 * @param mode of each new folder, before the umask; 0o777 by default
 * @throws a system error, also where a file has the path
 */
export function makeFolder(path: string, mode?: number): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  try {
    mkdirSync(path, mode)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** True if users other than the owner and its group may read or write the file; false for one that cannot be examined. */
export function isOfAll(path: string): boolean {
  try {
    return (statSync(path).mode & 0o006) !== 0
  } catch {
    return false
  }
}
