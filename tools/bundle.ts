import type { BuildOptions } from 'esbuild'

/** CommonJS packages inside an ES module bundle still call `require`; this gives them one. */
export const requireBanner = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n')

/** How the product is bundled, and what is measured beside it. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  external: ['bcrypt', 'better-sqlite3', 'pg', 'pino-pretty'],
  logLevel: 'warning',
} satisfies BuildOptions

export const programOptions = {
  ...bundleOptions,
  entryPoints: { tenantwatch: 'src/main.ts' },
  outdir: 'dist',
  // Code that one command imports on demand gets a file of its own, which a daemon does not load.
  splitting: true,
  chunkNames: '[name]-[hash]',
  banner: { js: requireBanner },
  // Its text stays in memory: 15 MiB less of an idle daemon.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  sourcemap: 'linked',
  metafile: true,
} as const satisfies BuildOptions
