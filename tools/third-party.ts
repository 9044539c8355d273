import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

interface BundledPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** The package's license file; empty when it has none. */
  readonly text: string
}

/** The packages of which a bundle contains code, by name. */
export function bundledPackages({ inputs }: Metafile): readonly BundledPackage[] {
  const folders = new Set<string>()
  for (const input of Object.keys(inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]
    if (folder !== undefined) folders.add(folder)
  }
  const packages = [...folders].map((folder): BundledPackage => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    // One of them writes v1.2.3.
    const plain = version.replace(/^v/, '')
    return {
      name,
      version: plain,
      license,
      text: file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim(),
    }
  })
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What the licenses demand: their texts beside the bundle. A package without a file has the text of another one. */
export function licenseTexts(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
  return `tenantwatch contains code of these packages.\n\n${parts.join(`\n${'-'.repeat(72)}\n\n`)}`
}
