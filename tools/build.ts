import { chmod, readFile, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { programOptions } from './bundle.ts'
import { bundledPackages, licenseTexts } from './third-party.ts'

const { metafile } = await build(programOptions)
// V8 keeps a text with one character beyond Latin-1 at two bytes a character. esbuild escapes them, except in RegExp literals.
const text = await readFile(programOptions.outfile, 'latin1')
const [odd] = /.{0,60}[\x80-\xff].{0,60}/.exec(text) ?? []
if (odd !== undefined) throw new Error(`The bundle must be ASCII; write \\u instead: ${odd}`)
await chmod(programOptions.outfile, 0o755)
await writeFile('dist/THIRD-PARTY-LICENSES.txt', licenseTexts(bundledPackages(metafile)))
