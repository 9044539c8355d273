import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

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
const banner =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);"

/** Paths of the measured programs, by name. */
export interface Programs extends AsyncDisposable {
  readonly path: Readonly<Record<(typeof names)[number] | 'product', string>>
}

/** Bundles the measured programs as the product itself is bundled: what is read from many files costs more memory. */
export async function bundlePrograms(): Promise<Programs> {
  // Below node_modules, where the driver of the database is found.
  const folder = join(root, `node_modules/.cache/tenantwatch/bench-${process.pid}`)
  await build({
    entryPoints: names.map((name) => ({ in: join(root, 'bench/children', `${name}.ts`), out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['better-sqlite3', 'pino-pretty'],
    banner: { js: banner },
    legalComments: 'none',
    logLevel: 'warning',
  })
  const own = Object.fromEntries(names.map((name) => [name, join(folder, `${name}.mjs`)]))
  return {
    path: { ...own, product: join(root, 'dist/tenantwatch.js') } as Programs['path'],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
