import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** True when a program would be found and may be run: a name in one of the folders of PATH, a path from `cwd`. */
export function isProgram(name: string, cwd: string, path = '/usr/bin:/bin'): boolean {
  const places = /[\\/]/.test(name)
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => join(folder === '' ? cwd : folder, name))
  return places.some(mayRun)
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
