import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Path of a file or folder of the package; null if it is not installed. Searches upwards, because this code may run from a
 * bundle or from sources.
 */
export function packageFile(name: string): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name)
    if (dirname(folder) === folder) return null
  }
}
