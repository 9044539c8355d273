import { constants, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** The file at a path is unsuitable; the message names the reason and no content. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** Size limit of configuration files and certificate bundles, in bytes. */
export const mostTextBytes = 4 * 2 ** 20

/** Size limit of secret files, in bytes. */
export const mostSecretBytes = 64 * 1024

/** O_NONBLOCK: a pipe that replaces the file after the check does not block the read. */
const flag = constants.O_RDONLY | constants.O_NONBLOCK

/**
 * Reads a regular file of at most `mostBytes`. Follows links; does not open pipes and devices, which may never end.
 *
 * @throws UnfitFile for other files; system errors are passed on.
 */
export async function readRegularFile(path: string, mostBytes = mostTextBytes): Promise<Buffer> {
  assertRegular(await stat(path), mostBytes)
  return readFile(path, { flag })
}

/** Synchronous `readRegularFile`. */
export function readRegularFileSync(path: string, mostBytes = mostTextBytes): Buffer {
  assertRegularFile(path, mostBytes)
  return readFileSync(path, { flag })
}

/** Throws as `readRegularFileSync` without reading the file. */
export function assertRegularFile(path: string, mostBytes = mostTextBytes): void {
  assertRegular(statSync(path), mostBytes)
}

/** A text that changes when the file is replaced or modified; throws as `readRegularFile`. */
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
