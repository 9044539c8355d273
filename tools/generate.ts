import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

/** Writes everything that is made from the catalogues; a test holds the files equal to it. */
const root = join(import.meta.dirname, '..')
for (const [path, text] of generatedFiles()) {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
