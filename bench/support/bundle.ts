import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleOptions, requireBanner } from '../../tools/bundle.ts'

const root = join(import.meta.dirname, '../..')
const names = [
  'server',
  'engine',
  'floor-feed',
  'floor-export',
  'floor-render',
  'probe',
  'soak-daemon',
  'soak-simulator',
] as const

/** Paths of the measured programs, by name. */
export interface Programs extends AsyncDisposable {
  readonly path: Readonly<Record<(typeof names)[number] | 'product', string>>
}

/** Bundles the measured programs as the product itself is bundled: what is read from many files costs more memory. */
export async function bundlePrograms(): Promise<Programs> {
  // Below node_modules, where the driver of the database is found.
  const folder = join(root, `node_modules/.cache/tenantwatch/bench-${process.pid}`)
  await build({
    ...bundleOptions,
    entryPoints: names.map((name) => ({ in: join(root, 'bench/children', `${name}.ts`), out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    banner: { js: requireBanner },
    legalComments: 'none',
  })
  const own = Object.fromEntries(names.map((name) => [name, join(folder, `${name}.mjs`)]))
  return {
    path: { ...own, product: join(root, 'dist/tenantwatch.js') } as Programs['path'],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
