import { chmod, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundleOptions, requireBanner } from './bundle.ts'

const program = 'dist/tenantwatch.js'

/** What only a command that soon ends loads, with a file of its own: a daemon would keep its text, which is large. */
const dashboards = { source: 'src/monitoring/dashboards/render.ts', file: 'dist/dashboards.js' }

const apart: Plugin = {
  name: 'apart',
  setup(building) {
    building.onResolve({ filter: /\/dashboards\/render\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${basename(dashboards.file)}`, external: true } : null,
    )
  },
}

/** A small young generation takes some 100 MB off the peak memory of a large full sync. */
const launcher = '#!/usr/bin/env -S node --max-semi-space-size=4\n'

await bundle(program, {
  entryPoints: ['src/main.ts'],
  banner: { js: launcher + requireBanner },
  plugins: [apart, ...bundleOptions.plugins],
})
await bundle(dashboards.file, { entryPoints: [dashboards.source], banner: { js: requireBanner } })
await chmod(program, 0o755)

async function bundle(outfile: string, options: BuildOptions): Promise<void> {
  await build({
    ...bundleOptions,
    outfile,
    // Its text stays in memory: without the blanks it takes 1.5 MB less of it.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    sourcemap: 'linked',
    ...options,
  })
  const [strange] = /.{0,40}\P{ASCII}.{0,40}/u.exec(await readFile(outfile, 'utf8')) ?? []
  // One other character, and two bytes are kept for each. The bundler escapes those of plain strings; a template with a tag
  // needs an HTML entity.
  if (strange !== undefined) throw new Error(`${outfile} must be plain ASCII, and has: ${strange}`)
}
