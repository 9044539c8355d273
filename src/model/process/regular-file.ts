import { constants, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** What stands at a path is no file that can be read to its end; the message says why, and carries nothing of it. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** Far above any configuration and any bundle of certificates, in bytes. */
export const mostTextBytes = 4 * 2 ** 20

/** Far above any token, in bytes. */
export const mostSecretBytes = 64 * 1024

/** A pipe that came into the place of a file after the look would be waited for; this way it is not. */
const flag = constants.O_RDONLY | constants.O_NONBLOCK

/**
 * Reads a file of at most so many bytes. Links are followed; a pipe or a device, which may never end, is not opened.
 *
 * @throws UnfitFile for anything else; errors of the system pass as they are.
 */
export async function readRegularFile(path: string, mostBytes = mostTextBytes): Promise<Buffer> {
  insist(await stat(path), mostBytes)
  return readFile(path, { flag })
}

/** The same, while this process stands still. */
export function readRegularFileSync(path: string, mostBytes = mostTextBytes): Buffer {
  insistOnRegularFile(path, mostBytes)
  return readFileSync(path, { flag })
}

/** As `readRegularFileSync`, but does not read it. */
export function insistOnRegularFile(path: string, mostBytes = mostTextBytes): void {
  insist(statSync(path), mostBytes)
}

/** Differs whenever another file stands at the path, or its content was changed; throws as `readRegularFile` does. */
export async function regularFileVersion(path: string, mostBytes = mostTextBytes): Promise<string> {
  const facts = await stat(path, { bigint: true })
  insist(facts, mostBytes)
  return [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(':')
}

interface Facts {
  readonly size: number | bigint
  isDirectory(): boolean
  isFile(): boolean
}

function insist(facts: Facts, mostBytes: number): void {
  if (facts.isDirectory()) throw new UnfitFile('it is a directory')
  if (!facts.isFile()) throw new UnfitFile('it is not a regular file')
  if (facts.size > mostBytes) throw new UnfitFile(`it is larger than ${mostBytes / 1024} KiB`)
}
