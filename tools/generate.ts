import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generatedFiles } from '../src/commands/support/generated-files.ts'

/** Writes everything that is made from the catalogue; a test holds the files equal to it. */
const root = join(import.meta.dirname, '..')
for (const [path, text] of generatedFiles()) {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
