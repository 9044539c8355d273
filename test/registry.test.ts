import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { namesSecret } from '../src/api/decode/withheld.ts'
import type { Field } from '../src/model/fields.ts'
import { resourceNames } from '../src/model/resource-names.ts'
import { resources } from '../src/resources/index.ts'
import { bundleOptions, programOptions } from '../tools/bundle.ts'
import { bundledPackages } from '../tools/third-party.ts'
import { sourceFiles } from './support/sources.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => name.slice(0, -'.ts'.length))
    .sort()

it('lists every resource file, in alphabetical order, each under its own name', () => {
  const files = filesIn('src/resources').filter((name) => name !== 'index' && name !== 'redact-finding')
  expect(resources.map(({ name }) => name)).toEqual(files)
  expect(resourceNames).toEqual(files)
})

it('tells tenants apart by GUIDs only, because integers of two tenants may be equal', () => {
  const proving = resources.filter((one) => 'identifiedBy' in one)
  const ids = proving.map(({ name, fields }) => [
    name,
    Object.values<Field>(fields).find((field) => 'id' in field)?.kind,
  ])
  expect(ids).toEqual(proving.map(({ name }) => [name, 'guid']))
  // Without it, the page rule takes records of another tenant for new ones.
  expect(proving.filter(({ fields }) => !('createdAt' in fields)).map(({ name }) => name)).toEqual([])
})

it('describes no text as harmless whose name is that of a secret', () => {
  const texts = resources.flatMap(({ name, fields }) =>
    Object.entries<Field>(fields).flatMap(([field, { kind }]) => (kind === 'text' ? [`${name}.${field}`] : [])),
  )
  expect(texts.length).toBeGreaterThan(10)
  expect(texts.filter((path) => namesSecret(path.split('.')[1] ?? ''))).toEqual([])
})

it('pins every dependency to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
  const pins = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(pins.length).toBeGreaterThan(20)
  expect(pins.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([])
})

it('installs beside the bundle what it does not contain, and bundles everything else that it imports', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  expect(Object.keys(dependencies)).toEqual(bundleOptions.external)
  const imported = sourceFiles().flatMap(({ text }) => [...text.matchAll(/from '((?:@[^/']+\/)?[a-z][^/'.]*)[^']*'/g)])
  const packages = new Set(imported.flatMap(([, name = '']) => (isBuiltin(name) ? [] : [name])))
  expect(packages.size).toBeGreaterThan(10)
  expect([...packages].filter((name) => !(name in dependencies) && !(name in devDependencies))).toEqual([])
})

it('ships packages under permissive licenses only', async () => {
  const { metafile } = await build({ ...programOptions, absWorkingDir: root, write: false })
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { license: string; dev?: boolean }>
  }
  const installed = Object.entries(packages).flatMap(([, { license, dev }]) => (dev === true ? [] : [license]))
  const bundled = bundledPackages(metafile)
  expect(bundled.length).toBeGreaterThan(20)
  const withText = new Set(bundled.flatMap(({ license, text }) => (text === '' ? [] : [license])))
  expect(bundled.filter(({ license }) => !withText.has(license))).toEqual([])
  const allowed = ['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0']
  expect([...installed, ...bundled.map(({ license }) => license)].filter((one) => !allowed.includes(one))).toEqual([])
})

it('locks every package with its integrity and names no host', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { readonly resolved?: string; readonly integrity?: string; readonly link?: boolean }>
  }
  const locked = Object.entries(packages).filter(([path]) => path !== '')
  expect(locked.length).toBeGreaterThan(50)
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
})

it('needs no install script', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { readonly hasInstallScript?: boolean; readonly optional?: boolean }>
  }
  const scripted = Object.entries(packages).filter(
    ([, { hasInstallScript, optional }]) => hasInstallScript && !optional,
  )
  const names = [...new Set(scripted.map(([path]) => path.split('node_modules/').at(-1) ?? ''))].sort()
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> }
  expect(names.filter((name) => allowScripts[name] !== false)).toEqual([])
})
