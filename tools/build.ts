import { chmod, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { programOptions } from './bundle.ts'
import { bundledPackages, licenseTexts } from './third-party.ts'

const { metafile } = await build(programOptions)
await chmod(programOptions.outfile, 0o755)
await writeFile('dist/THIRD-PARTY-LICENSES.txt', licenseTexts(bundledPackages(metafile)))
