import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package that has this file; null without. Searches upwards, since this code is in a bundle or among the sources. */
export function packageFolder(file: string): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder
    if (dirname(folder) === folder) return null
  }
}
