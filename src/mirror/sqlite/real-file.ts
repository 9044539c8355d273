import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { FatalError } from '../../model/errors.ts'

/** Resolves symbolic links, also before the file exists, so that a database has one lock and one log. */
export function realFile(path: string): string {
  const file = resolve(path)
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file)
  const folder = dirname(file)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    return realFile(resolve(realpathSync(folder), readlinkSync(file)))
  return folder === file ? file : join(realFile(folder), basename(file))
}

/** @throws FatalError when the file has hard links: each name would get a lock and a log of its own. */
export function insistOnOneName(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return
  throw new FatalError(
    `The database ${file} has ${stats.nlink} names (hard links), each of which would get a lock and a log of its own; remove the others, or make them copies with "tenantwatch backup"`,
  )
}
