import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fillSections } from './docs/page-sections.ts'
import { generatedFiles, generatedSections } from './generated-files.ts'
import { recordViewFiles } from './record-views.ts'

/** Writes everything that is made from the catalogues; a test holds the files equal to it. */
const root = join(import.meta.dirname, '..')
for (const [path, text] of [...generatedFiles(), ...recordViewFiles()]) {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
for (const [path, sections] of generatedSections()) {
  const file = join(root, path)
  await writeFile(file, fillSections(await readFile(file, 'utf8'), sections))
}
