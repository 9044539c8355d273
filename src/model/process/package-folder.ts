import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the package that contains the file; null if none does. Searches upwards, because this code may run from
 * a bundle or from sources.
 */
export function packageFolder(file: string): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder
    if (dirname(folder) === folder) return null
  }
}
