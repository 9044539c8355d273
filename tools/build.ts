import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { programOptions } from './bundle.ts'
import { bundledPackages, licenseTexts } from './third-party.ts'

const { outdir } = programOptions
const { metafile } = await build(programOptions)
const built = Object.keys(metafile.outputs)
// V8 keeps a text with one character beyond Latin-1 at two bytes a character. esbuild escapes them, except in RegExp literals.
for (const file of built.filter((one) => one.endsWith('.js'))) {
  const [odd] = /.{0,60}[\x80-\xff].{0,60}/.exec(await readFile(file, 'latin1')) ?? []
  if (odd !== undefined) throw new Error(`The bundle must be ASCII; write \\u instead: ${odd}`)
}
await chmod(join(outdir, 'tenantwatch.js'), 0o755)
await writeFile(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(bundledPackages(metafile)))

// Parts of earlier builds.
const current = new Set(built.map((file) => basename(file)))
for (const name of await readdir(outdir)) {
  if (/-[A-Z0-9]{8}\.js(\.map|\.LEGAL\.txt)?$/.test(name) && !current.has(name)) await rm(join(outdir, name))
}
