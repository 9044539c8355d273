import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { programOptions } from './bundle.ts'
import { bundledPackages } from './third-party.ts'

/** Prints the bill of materials (CycloneDX) of what is shipped: the packages in the bundle and those installed beside it. */

interface Component {
  readonly 'bom-ref': string
  readonly name: string
}

interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Locked {
  readonly name: string
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>
}

const { name, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Locked
const installed = Object.entries(packages).flatMap(([path, { version, dev }]) =>
  path === '' || dev === true ? [] : [`${path.split('node_modules/').at(-1)}@${version}`],
)
const { metafile } = await build({ ...programOptions, write: false })
const shipped = new Set([...installed, ...bundledPackages(metafile).map((one) => `${one.name}@${one.version}`)])

// With `--omit dev`, npm leaves out what development packages need, too.
const listing = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
const { metadata, components, dependencies, ...rest } = JSON.parse(
  execFileSync('npm', listing, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] }),
) as Bom
const listed = components.filter((one) => shipped.has(one['bom-ref']))
const missing = [...shipped].filter((ref) => !listed.some((one) => one['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`npm does not list what is shipped: ${missing.join(', ')}`)

const refs = new Set([metadata.component['bom-ref'], ...shipped])
const bom: Bom = {
  ...rest,
  metadata: { ...metadata, component: { ...metadata.component, name } },
  components: listed.map((one) => ({ ...one, scope: 'required', properties: [] })),
  dependencies: dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
