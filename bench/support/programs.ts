import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleOptions, requireBanner } from '../../tools/bundle.ts'

const root = join(import.meta.dirname, '../..')

/** Paths of the measured programs. */
export interface Programs extends AsyncDisposable {
  readonly product: string
  readonly reference: string
  readonly probe: string
  readonly soakDaemon: string
}

/** Bundles what is measured as the product is bundled: the modules of drizzle-orm alone would cost 135 MB. */
export async function bundlePrograms(): Promise<Programs> {
  // Below node_modules, where external packages are found.
  const folder = join(root, `node_modules/.cache/tenantwatch/bench-${process.pid}`)
  const entries = ['reference', 'children/probe', 'children/soak-daemon']
  await build({
    ...bundleOptions,
    entryPoints: entries.map((path) => join(root, 'bench', `${path}.ts`)),
    outdir: folder,
    outbase: join(root, 'bench'),
    outExtension: { '.js': '.mjs' },
    banner: { js: requireBanner },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  })
  return {
    product: join(root, 'dist/tenantwatch.js'),
    reference: join(folder, 'reference.mjs'),
    probe: join(folder, 'children/probe.mjs'),
    soakDaemon: join(folder, 'children/soak-daemon.mjs'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
